import type { ProductDocuments } from '../catalog/product-documents.js';
import type { WriteSession } from '../database/engine.js';
import { remedy, TransactionTooLarge } from '../database/group-replication.js';
import type { Query } from '../database/query.js';
import type { PriceChanges } from '../guard/price-tally.js';
import { ContentChanges } from './content-changes.js';
import { ageProblem } from './file-age.js';
import { type GuardOptions, ImportGuards } from './import-guards.js';
import type { ImportProgress, TableSummary } from './import-summary.js';
import { IMPORT_TABLES, type ImportTable } from './import-tables.js';
import { KnownKeys } from './known-keys.js';
import { Problems } from './problems.js';
import { Replacement } from './replacement.js';
import type { Sources } from './source/sources.js';
import type { TableSource } from './source/table-source.js';
import { type ImportContext, TableImport } from './table-import.js';

export interface LoadOptions extends GuardOptions {
  /** Remove rows that are missing from the files of their tables. */
  replace?: boolean;
  /** Accept the removal of any number of rows. */
  allowRemovals?: boolean;
  /** Roll the transaction back. */
  dryRun?: boolean;
  /** Refuse files that were last modified longer ago than this. */
  maxAgeMs?: number;
  /** Accept a file without a row for its tables. */
  allowEmpty?: boolean;
  /** Import only if the database has neither products nor customers. */
  onlyIfEmpty?: boolean;
}

/** The import requires an empty database, but the database has data. */
export class NotEmpty extends Error {}

/**
 * Files larger than this many times the limit also exceed the limit in binary form. Smaller files are counted while
 * they are written.
 */
const TOO_LARGE_FACTOR = 1.5;

/** Summary of a table without a file, from which rows are removed because the rows they reference are removed. */
const NOT_READ = { file: null, rows: 0, added: 0, changed: 0, unchanged: 0, absentColumns: [] };

/** Loads all tables of one import within the transaction of its session. */
export class ImportLoad {
  private readonly problems = new Problems();
  private readonly context: ImportContext;
  private readonly guards: ImportGuards;
  private readonly replacement?: Replacement;
  private readonly counts = new Map<ImportTable, Omit<TableSummary, 'table'>>();

  /** @param before queries the state before the import @param id ID of the import's record; null if it has none */
  constructor(
    private readonly session: WriteSession,
    before: Query,
    id: string | null,
    documents: ProductDocuments,
    private readonly sources: Sources,
    private readonly options: LoadOptions,
    private readonly onProgress: (progress: ImportProgress) => void,
  ) {
    const { replace = false } = options;
    this.guards = new ImportGuards({ before, after: session }, options, id);
    const { problems, guards } = this;
    const changes = new ContentChanges(session, documents);
    const known = new KnownKeys(session);
    this.context = { session, problems, known, changes, guards, replace, keyFaults: new Set() };
    if (replace) this.replacement = new Replacement(this.context);
  }

  /**
   * Checks and loads all files.
   * @returns a summary of each table
   * @throws {ImportRefused} if a file is too old, before it reads any; or, after it checked everything, if there is any
   * problem
   * @throws {NotEmpty} if `onlyIfEmpty` is set and the database has data
   * @throws {TransactionTooLarge} if the files certainly exceed the transaction limit of the MySQL group
   */
  async run(): Promise<TableSummary[]> {
    if (this.options.maxAgeMs !== undefined) this.assertRecent(this.options.maxAgeMs);
    if (this.options.onlyIfEmpty) await this.assertEmpty();
    await this.assertFits();
    await this.context.changes.begin();
    for (const table of IMPORT_TABLES) await this.loadTable(table);
    if (!this.options.allowEmpty)
      for (const { file, message } of this.sources.empty()) this.problems.add(file, 0, '', message);
    const removed = await this.finish();
    this.problems.assertNone();
    if (!this.options.dryRun) await this.context.changes.finish();
    return IMPORT_TABLES.flatMap((table) => {
      const removedRows = removed?.get(table) ?? 0;
      if (!this.counts.has(table) && !removedRows) return [];
      return { table: table.name, ...(this.counts.get(table) ?? NOT_READ), removed: removedRows };
    });
  }

  /** How the import changes prices, or would have changed them; undefined if no file has prices. */
  get priceChanges(): PriceChanges | undefined {
    return this.guards.priceChanges;
  }

  /** SKUs of some changed products. */
  get sampleSkus(): readonly string[] {
    return this.context.changes.sampleSkus;
  }

  /** Removes rows that are not in the files and runs the guards. @returns the number of removed rows of each table */
  private async finish(): Promise<ReadonlyMap<ImportTable, number> | undefined> {
    // If the files have other problems, not all of their rows were compared.
    if (!this.problems.none) return undefined;
    const removed = await this.replacement?.finish(this.options.allowRemovals ?? false);
    await this.guards.check(this.problems);
    return removed;
  }

  private async loadTable(table: ImportTable): Promise<void> {
    const source = this.sources.sources.find((candidate) => candidate.table === table);
    // A `TableImport` stores every key of its file, so nothing references it after its table is loaded.
    const file = source && (await TableImport.begin(source, this.context, (rows) => this.reportProgress(source, rows)));
    await file?.run();
    if (file) this.counts.set(table, { file: file.source.file, ...file.counts, absentColumns: file.absentColumns });
    if (this.problems.none) await this.replacement?.visit(table, file);
  }

  private reportProgress(source: TableSource, rows: number): void {
    const { position, size } = this.sources.fileOf(source);
    this.onProgress({ file: source.file, table: source.table.name, rows, bytes: position, size });
  }

  private assertRecent(maxAgeMs: number): void {
    for (const { name, modifiedAt } of this.sources.files) {
      const problem = ageProblem(modifiedAt, maxAgeMs, Date.now());
      if (problem) this.problems.add(name, 0, '', problem);
    }
    this.problems.assertNone();
  }

  /**
   * A first import writes every row. If the group cannot accept it, the import fails at once, not after half a minute.
   */
  private async assertFits(): Promise<void> {
    const { limits, query } = this.session;
    const bytes = this.sources.files.reduce((sum, { size }) => sum + size, 0);
    if (!limits.transactionBytes || bytes < limits.transactionBytes * TOO_LARGE_FACTOR) return;
    for (const { table } of this.sources.sources)
      if ((await query(`SELECT 1 FROM ${table.name} LIMIT 1`)).length) return;
    throw new TransactionTooLarge(
      `The files have ${bytes} bytes, more than the group of MySQL servers accepts in one transaction. ${remedy(limits.transactionBytes)}`,
    );
  }

  private async assertEmpty(): Promise<void> {
    const [found] = await this.session.query('SELECT 1 FROM products UNION ALL SELECT 1 FROM customers LIMIT 1');
    if (found) throw new NotEmpty('The database already has products or customers');
  }
}
