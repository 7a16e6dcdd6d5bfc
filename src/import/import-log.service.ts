import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { DatabaseService } from '../database/database.service.js';
import type { WriteSession } from '../database/engine.js';
import type { Row } from '../database/query.js';
import { timestampText, utcTime } from '../resource/utc-time.js';
import type { FileSummary, TableSummary } from './import-summary.js';

/** One import, as it was recorded. A dry run is not. */
export interface ImportRun {
  id: string;
  startedAt: Date;
  /** Null: it is running, or was killed. */
  endedAt: Date | null;
  /** Account and host of the command. */
  startedBy: string;
  mode: 'upsert' | 'replace';
  /** Null as long as it has not ended. */
  outcome: 'imported' | 'refused' | 'failed' | null;
  /** Why it did not import. */
  message: string | null;
  files: FileSummary[];
  tables: TableSummary[];
}

const KEPT_DAYS = 400;
/** Of what was wrong, so much is kept. */
const MESSAGE_CHARACTERS = 4000;

/** Keeps the record of imports. */
@Injectable()
export class ImportLogService {
  constructor(private readonly database: DatabaseService) {}

  /** Records that an import starts, and forgets those of long ago. @returns its ID */
  async begin(mode: ImportRun['mode']): Promise<string> {
    const [id, now] = [randomUUID(), new Date()];
    const oldest = new Date(now.getTime() - KEPT_DAYS * 86_400_000);
    await this.database.write(async ({ query }) => {
      await query('DELETE FROM import_runs WHERE StartedAt < ?', [timestampText(oldest)]);
      await query('INSERT INTO import_runs (ID, StartedAt, StartedBy, Mode) VALUES (?, ?, ?, ?)', [
        id,
        timestampText(now),
        whoami(),
        mode,
      ]);
    });
    return id;
  }

  /** Records the success of an import in the very transaction that makes it one. */
  async succeed({ query }: WriteSession, id: string, files: FileSummary[], tables: TableSummary[]): Promise<void> {
    await query('UPDATE import_runs SET EndedAt = ?, Outcome = ?, Files = ?, Tables = ? WHERE ID = ?', [
      timestampText(new Date()),
      'imported',
      JSON.stringify(files),
      JSON.stringify(tables),
      id,
    ]);
  }

  /** Records that an import wrote nothing, and why. */
  async fail(id: string, outcome: 'refused' | 'failed', message: string, files: FileSummary[]): Promise<void> {
    await this.database.write(({ query }) =>
      query('UPDATE import_runs SET EndedAt = ?, Outcome = ?, Message = ?, Files = ? WHERE ID = ?', [
        timestampText(new Date()),
        outcome,
        message.slice(0, MESSAGE_CHARACTERS),
        JSON.stringify(files),
        id,
      ]),
    );
  }

  /** The latest imports, latest first. */
  async latest(count: number): Promise<ImportRun[]> {
    const rows = await this.database.query(`SELECT * FROM import_runs ORDER BY StartedAt DESC, ID LIMIT ${count}`);
    return rows.map(asRun);
  }
}

function asRun(row: Row): ImportRun {
  return {
    id: String(row.ID),
    startedAt: utcTime(row.StartedAt),
    endedAt: row.EndedAt === null ? null : utcTime(row.EndedAt),
    startedBy: String(row.StartedBy),
    mode: row.Mode as ImportRun['mode'],
    outcome: row.Outcome as ImportRun['outcome'],
    message: row.Message as string | null,
    files: JSON.parse(String(row.Files ?? '[]')) as FileSummary[],
    tables: JSON.parse(String(row.Tables ?? '[]')) as TableSummary[],
  };
}

function whoami(): string {
  return `${account()}@${hostname()}`.slice(0, 255);
}

/** In a container the account may have a number and no name. */
function account(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
