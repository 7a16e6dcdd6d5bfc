import { Injectable } from '@nestjs/common';
import type { Readable } from 'node:stream';
import { ProductDocuments } from '../catalog/product-documents.js';
import { DatabaseService } from '../database/database.service.js';
import type { WriteSession } from '../database/engine.js';
import { ImportLoad, type LoadOptions } from './import-load.js';
import { ImportLogService } from './import-log.service.js';
import type { FileSummary, ImportProgress, ImportSummary, TableSummary } from './import-summary.js';
import { ImportRefused } from './problems.js';
import type { InputFile } from './source/input-file.js';
import { openSources, type SourceRequest, type Sources } from './source/sources.js';

/** What to import, and how. */
export interface ImportRequest extends SourceRequest, LoadOptions {}

type OnProgress = (progress: ImportProgress) => void;

/** Loads import files: all of a run in one transaction, or nothing. */
@Injectable()
export class ImportService {
  constructor(
    private readonly database: DatabaseService,
    private readonly log: ImportLogService,
    private readonly documents: ProductDocuments,
  ) {}

  /**
   * Adds or overwrites, by key, the rows of the files; what is the same already is not written again.
   * @param stdin what the path `-` stands for
   * @throws {ImportRefused} naming what is wrong, {NotEmpty} where `onlyIfEmpty` says so; then nothing is written
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
      const tables = await this.recorded(id, sources, (session) =>
        new ImportLoad(session, this.documents, sources, request, onProgress).run(),
      );
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

function summaries(files: readonly InputFile[]): FileSummary[] {
  return files.map(({ name, sha256 = null, size }) => ({ name, sha256, bytes: size }));
}
