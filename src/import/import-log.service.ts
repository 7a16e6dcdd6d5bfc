import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Repository } from 'typeorm';
import { accountAtHost } from '../audit/account-at-host.js';
import { DatabaseService } from '../database/database.service.js';
import type { WriteSession } from '../database/engine.js';
import type { PriceChanges } from '../guard/price-tally.js';
import { DAY_MS, timeOrNull, timestampText } from '../database/utc-time.js';
import { ImportRun } from './import-run.entity.js';
import type { FileSummary, TableSummary } from './import-summary.js';
import { forgetFiles, recordFiles } from './imported-files.js';

const RETENTION_DAYS = 400;
/** Longest stored message. The rest is discarded. */
const MESSAGE_CHARACTERS = 4000;
/** A failure of the server breaks several connections of the pool, and each attempt discovers only one of them. */
const ATTEMPTS = 3;
const RETRY_MS = 1000;

type Outcome = ImportRun['Outcome'];

/** The part of an import's record that is known when the import ends. */
interface ImportResult {
  files: FileSummary[];
  tables: TableSummary[];
  priceChanges?: PriceChanges;
}

/** Writes and reads the record of imports. */
@Injectable()
export class ImportLogService {
  constructor(
    private readonly database: DatabaseService,
    @InjectRepository(ImportRun) private readonly runs: Repository<ImportRun>,
  ) {}

  /** The latest imports, latest first. */
  latest(count: number): Promise<ImportRun[]> {
    return this.runs.find({ order: { StartedAt: 'DESC', ID: 'ASC' }, take: count });
  }

  /** Waits for other imports, records the start of this one and deletes expired records. @returns the import's ID */
  async begin(mode: ImportRun['Mode']): Promise<string> {
    return this.database.write(async (session) => {
      const { query } = session;
      const [id, now] = [randomUUID(), new Date()];
      const oldest = timestampText(new Date(now.getTime() - RETENTION_DAYS * DAY_MS));
      await query('DELETE FROM import_runs WHERE StartedAt < ?', [oldest]);
      await forgetFiles(session, oldest);
      const values = [id, timestampText(now), accountAtHost(), mode];
      await query('INSERT INTO import_runs (ID, StartedAt, StartedBy, Mode) VALUES (?, ?, ?, ?)', values);
      return id;
    });
  }

  /** Records the success of an import in the transaction of the import itself. */
  async succeed(session: WriteSession, id: string, done: ImportResult): Promise<void> {
    const now = timestampText(new Date());
    const { files, tables, priceChanges } = done;
    await session.query(
      `UPDATE import_runs SET EndedAt = ?, Outcome = 'imported', Files = ?, Tables = ?, PriceChanges = ? WHERE ID = ?`,
      [now, JSON.stringify(files), JSON.stringify(tables), jsonOrNull(priceChanges), id],
    );
    await recordFiles(session, files, tables, now);
  }

  /** For each table name, the time of the last import of a file with new content. */
  async lastByTable(): Promise<Map<string, Date>> {
    const rows = await this.database.query('SELECT TableName, ImportedAt FROM imported_tables');
    return timesBy(rows.map(({ TableName, ImportedAt }) => [String(TableName), timeOrNull(ImportedAt)]));
  }

  /** For each outcome that wrote nothing, the latest end of an import that started within the last 24 hours. */
  async lastFailures(): Promise<Map<string, Date>> {
    const since = timestampText(new Date(Date.now() - DAY_MS));
    const rows = await this.database.query(
      `SELECT Outcome, MAX(EndedAt) AS EndedAt FROM import_runs
       WHERE StartedAt >= ? AND Outcome IN ('refused', 'failed') GROUP BY Outcome`,
      [since],
    );
    return timesBy(rows.map(({ Outcome, EndedAt }) => [String(Outcome), timeOrNull(EndedAt)]));
  }

  /**
   * Records that an import wrote nothing, and why. A recorded success is not overwritten, because the connection may
   * have been lost after COMMIT. Does not wait for other imports: the next one may have begun, and the operator waits
   * for the problems. If the transaction of the import is still open on the server, this method waits until it ends.
   * @returns the recorded outcome
   * @throws if the record cannot be read
   */
  async fail(
    id: string,
    outcome: 'refused' | 'failed',
    message: string,
    { files, priceChanges }: Omit<ImportResult, 'tables'>,
  ): Promise<Outcome> {
    const values = [
      timestampText(new Date()),
      outcome,
      message.slice(0, MESSAGE_CHARACTERS),
      JSON.stringify(files),
      jsonOrNull(priceChanges),
      id,
    ];
    return withRetries(async () => {
      await this.database.query(
        `UPDATE import_runs SET EndedAt = ?, Outcome = ?, Message = ?, Files = ?, PriceChanges = ?
         WHERE ID = ? AND Outcome IS NULL`,
        values,
      );
      const [run] = await this.database.query('SELECT Outcome FROM import_runs WHERE ID = ?', [id]);
      return run?.Outcome as Outcome;
    });
  }
}

async function withRetries<T>(work: () => Promise<T>, attempts = ATTEMPTS): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (attempts === 1) throw error;
    await sleep(RETRY_MS);
    return withRetries(work, attempts - 1);
  }
}

/** The times by name, without invalid ones. */
function timesBy(pairs: readonly (readonly [name: string, time: Date | null])[]): Map<string, Date> {
  return new Map(pairs.flatMap(([name, time]) => (time ? [[name, time]] : [])));
}

function jsonOrNull(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
