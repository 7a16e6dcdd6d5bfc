import { Injectable } from '@nestjs/common';
import type { Readable } from 'node:stream';
import { CatalogService } from '../catalog/catalog.service.js';
import { ProductDocuments } from '../catalog/product-documents.js';
import { DatabaseService } from '../database/database.service.js';
import type { WriteSession } from '../database/engine.js';
import { CustomerScopeService } from '../scope/customer-scope.service.js';
import { ImportLoad, type LoadOptions } from './import-load.js';
import { ImportLogService } from './import-log.service.js';
import type { FileSummary, ImportProgress, ImportSummary } from './import-summary.js';
import { SampleProduct, sideBySide, visibilities } from './preview.js';
import { ImportRefused } from './problems.js';
import type { InputFile } from './source/input-file.js';
import { openSources, type SourceRequest, type Sources } from './source/sources.js';

/** The files to import, and the options. */
export interface ImportRequest extends SourceRequest, LoadOptions {}

type OnProgress = (progress: ImportProgress) => void;

/** The part of the summary that the transaction produces. */
interface LoadResult extends Pick<ImportSummary, 'priceChanges' | 'preview' | 'tables'> {}

/** Loads import files. All files of an import are written in one transaction, or none. */
@Injectable()
export class ImportService {
  private readonly sample: SampleProduct;

  constructor(
    private readonly database: DatabaseService,
    private readonly log: ImportLogService,
    private readonly documents: ProductDocuments,
    catalog: CatalogService,
    scopes: CustomerScopeService,
  ) {
    this.sample = new SampleProduct(catalog, scopes);
  }

  /**
   * Adds the rows of the files, or overwrites stored rows of the same key. Does not write rows that are unchanged.
   * @param stdin the stream that the path `-` reads
   * @throws {ImportRefused} with all problems, if there are any; nothing is written
   * @throws {NotEmpty} if `onlyIfEmpty` is set and the database has data; nothing is written
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
      const load = (session: WriteSession) =>
        new ImportLoad(session, this.database.query, id, this.documents, sources, request, onProgress);
      const done = id === null ? await this.rolledBack(load) : await this.recorded(id, sources, load);
      const seconds = (performance.now() - started) / 1000;
      return { id, dryRun: id === null, files: summaries(sources.files), ...done, notes: sources.notes(), seconds };
    } finally {
      await sources.close();
    }
  }

  /** Runs a whole import, previews its result and rolls it back. */
  private async rolledBack(begin: (session: WriteSession) => ImportLoad): Promise<LoadResult> {
    try {
      return await this.database.write(async (session) => {
        const before = await visibilities(session.query);
        const load = begin(session);
        const tables = await load.run();
        const { priceChanges, sampleSkus } = load;
        const priceLists = sideBySide(before, await visibilities(session.query));
        const sample = await this.sample.of(sampleSkus, this.database.query, session.query);
        throw new RolledBack({ tables, priceChanges, preview: { priceLists, sample } });
      });
    } catch (error) {
      if (error instanceof RolledBack) return error.result;
      throw error;
    }
  }

  private async recorded(
    id: string,
    { files }: Sources,
    begin: (session: WriteSession) => ImportLoad,
  ): Promise<LoadResult> {
    let load: ImportLoad | undefined;
    let done: LoadResult | undefined;
    const result = () => ({ files: summaries(files), priceChanges: load?.priceChanges });
    try {
      await this.database.write(async (session) => {
        load = begin(session);
        const tables = await load.run();
        await this.log.succeed(session, id, { ...result(), tables });
        done = { tables, priceChanges: load.priceChanges };
      });
      return done!;
    } catch (error) {
      const { message } = error as Error;
      const outcome = error instanceof ImportRefused ? 'refused' : 'failed';
      // If recording the outcome fails, too, report the error of the import: both errors have the same cause.
      const recorded = await this.log.fail(id, outcome, message, result()).catch(() => null);
      if (done && recorded === 'imported') return done;
      if (done && !recorded) throw new Error(`${message}; ${UNKNOWN}`, { cause: error });
      throw error;
    }
  }
}

/** Ends the transaction of a dry run. */
class RolledBack extends Error {
  constructor(readonly result: LoadResult) {
    super('rolled back');
  }
}

/** The connection was lost at COMMIT, and the record cannot be read. */
const UNKNOWN = 'it is not known whether the import was written; see import log';

function summaries(files: readonly InputFile[]): FileSummary[] {
  return files.map(({ name, sha256 = null, size }) => ({ name, sha256, bytes: size }));
}
