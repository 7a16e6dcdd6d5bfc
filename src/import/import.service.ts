import { Injectable } from '@nestjs/common';
import type { Readable } from 'node:stream';
import { DatabaseService } from '../database/database.service.js';
import type { WriteSession } from '../database/engine.js';
import { ImportLogService } from './import-log.service.js';
import type { FileSummary, ImportProgress, ImportSummary, TableSummary } from './import-summary.js';
import { IMPORT_TABLES } from './import-tables.js';
import { KnownKeys } from './known-keys.js';
import { ImportRefused, Problems } from './problems.js';
import { Replacement } from './replacement.js';
import { openSources, type SourceRequest, type Sources } from './source/sources.js';
import type { InputFile } from './source/input-file.js';
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
    try {
      return await this.database.write(async (session) => {
        const tables = await work(session);
        if (id) await this.log.succeed(session, id, summaries(files), tables);
        return tables;
      });
    } catch (error) {
      const outcome = error instanceof ImportRefused ? 'refused' : 'failed';
      // What is wrong with the import matters more than that it could not be recorded, which has the same cause.
      if (id) await this.log.fail(id, outcome, (error as Error).message, summaries(files)).catch(() => undefined);
      throw error;
    }
  }
}

/** @throws {ImportRefused} after everything was checked, if anything is wrong */
async function load(
  session: WriteSession,
  { sources, fileOf }: Sources,
  { replace = false, allowRemovals = false, dryRun = false }: ImportRequest,
  onProgress: OnProgress,
): Promise<TableSummary[]> {
  const problems = new Problems();
  const context: ImportContext = { session, problems, known: new KnownKeys(session, replace), dryRun, replace };
  const imports: TableImport[] = [];
  for (const source of sources) {
    const file = fileOf(source);
    const one = new TableImport(source, context, (rows) =>
      onProgress({ file: source.file, table: source.table.name, rows, bytes: file.position, size: file.size }),
    );
    await one.run();
    imports.push(one);
  }
  const removed = replace && problems.none ? await new Replacement(imports, context).run(allowRemovals) : undefined;
  problems.assertNone();
  return IMPORT_TABLES.flatMap((table) => {
    const one = imports.find(({ source }) => source.table === table);
    const counts: RowCounts = one?.counts ?? { rows: 0, added: 0, changed: 0, unchanged: 0, removed: 0 };
    const gone = removed?.get(table) ?? 0;
    if (!one && !gone) return [];
    return { table: table.name, file: one?.source.file ?? null, ...counts, removed: gone };
  });
}

function summaries(files: readonly InputFile[]): FileSummary[] {
  return files.map(({ name, sha256 = null, size }) => ({ name, sha256, bytes: size }));
}
