import { Injectable } from '@nestjs/common';
import type { Readable } from 'node:stream';
import { DatabaseService } from '../database/database.service.js';
import type { WriteSession } from '../database/engine.js';
import { ImportLogService } from './import-log.service.js';
import type { FileSummary, ImportProgress, ImportSummary, TableSummary } from './import-summary.js';
import { IMPORT_TABLES, type ImportTable } from './import-tables.js';
import { KnownKeys } from './known-keys.js';
import { ImportRefused, Problems } from './problems.js';
import { Replacement } from './replacement.js';
import { openSources, type SourceRequest, type Sources } from './source/sources.js';
import type { InputFile } from './source/input-file.js';
import type { TableSource } from './source/table-source.js';
import { type ImportContext, type RowCounts, TableImport } from './table-import.js';

/** What to import, and how. */
export interface ImportRequest extends SourceRequest {
  /** The files are the whole truth: rows of their tables that are not in them go. */
  replace?: boolean;
  /** However many rows go. */
  allowRemovals?: boolean;
  /** Only tell what would change. */
  dryRun?: boolean;
}

type OnProgress = (progress: ImportProgress) => void;

/** Loads import files: all of a run in one transaction, or nothing. */
@Injectable()
export class ImportService {
  constructor(
    private readonly database: DatabaseService,
    private readonly log: ImportLogService,
  ) {}

  /**
   * Adds or overwrites, by key, the rows of the files; what is the same already is not written again.
   * @param stdin what the path `-` stands for
   * @throws {ImportRefused} naming what is wrong; then nothing is written
   */
  async run(
    request: ImportRequest,
    onProgress: OnProgress = () => undefined,
    stdin?: Readable,
  ): Promise<ImportSummary> {
    const started = performance.now();
    const sources = await openSources(request, stdin);
    try {
      const id = request.dryRun ? null : await this.log.begin(request.replace ? 'replace' : 'upsert');
      const tables = await this.recorded(id, sources, (session) => load(session, sources, request, onProgress));
      const seconds = (performance.now() - started) / 1000;
      return { id, dryRun: id === null, files: summaries(sources.files), tables, notes: sources.notes(), seconds };
    } finally {
      await sources.close();
    }
  }

  private async recorded(
    id: string | null,
    { files }: Sources,
    work: (session: WriteSession) => Promise<TableSummary[]>,
  ): Promise<TableSummary[]> {
    let done: TableSummary[] | undefined;
    try {
      await this.database.write(async (session) => {
        const tables = await work(session);
        if (id) await this.log.succeed(session, id, summaries(files), tables);
        done = tables;
      });
      return done!;
    } catch (error) {
      const { message } = error as Error;
      const outcome = error instanceof ImportRefused ? 'refused' : 'failed';
      // What is wrong with the import matters more than that it could not be recorded, which has the same cause.
      const recorded = id && (await this.log.fail(id, outcome, message, summaries(files)).catch(() => null));
      if (done && recorded === 'imported') return done;
      if (id && done && !recorded) throw new Error(`${message}; ${UNKNOWN}`, { cause: error });
      throw error;
    }
  }
}

/** Where the connection was lost at COMMIT, and the record could not be read. */
const UNKNOWN = 'it is not known whether the import was written; see import log';

/** @throws {ImportRefused} after everything was checked, if anything is wrong */
async function load(
  session: WriteSession,
  { sources, fileOf }: Sources,
  { replace = false, allowRemovals = false, dryRun = false }: ImportRequest,
  onProgress: OnProgress,
): Promise<TableSummary[]> {
  const progress = (source: TableSource, rows: number): ImportProgress => {
    const { position, size } = fileOf(source);
    return { file: source.file, table: source.table.name, rows, bytes: position, size };
  };
  const problems = new Problems();
  const context: ImportContext = { session, problems, known: new KnownKeys(session), dryRun, replace };
  const replacement = replace ? new Replacement(context) : undefined;
  const counts = new Map<ImportTable, Pick<TableSummary, 'file'> & RowCounts>();
  for (const table of IMPORT_TABLES) {
    const source = sources.find((candidate) => candidate.table === table);
    // Held no longer than for its table: it knows every key of the file.
    const file = source && new TableImport(source, context, (rows) => onProgress(progress(source, rows)));
    await file?.run();
    if (file) counts.set(table, { file: file.source.file, ...file.counts });
    if (problems.none) await replacement?.visit(table, file);
  }
  const removed = problems.none ? await replacement?.finish(allowRemovals) : undefined;
  problems.assertNone();
  return IMPORT_TABLES.flatMap((table) => {
    const gone = removed?.get(table) ?? 0;
    if (!counts.has(table) && !gone) return [];
    return { table: table.name, ...(counts.get(table) ?? NOT_READ), removed: gone };
  });
}

/** Of a table from which rows go because those go that they hang on. */
const NOT_READ = { file: null, rows: 0, added: 0, changed: 0, unchanged: 0 };

function summaries(files: readonly InputFile[]): FileSummary[] {
  return files.map(({ name, sha256 = null, size }) => ({ name, sha256, bytes: size }));
}
