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

/** How to load what the files hold. */
export interface LoadOptions extends GuardOptions {
  /** The files are the whole truth: rows of their tables that are not in them go. */
  replace?: boolean;
  /** However many rows go. */
  allowRemovals?: boolean;
  /** The transaction is rolled back. */
  dryRun?: boolean;
  /** Refuse files that were last modified longer ago than this. */
  maxAgeMs?: number;
  /** A file may have no row for its tables. */
  allowEmpty?: boolean;
  /** Only where there is no product and no customer yet. */
  onlyIfEmpty?: boolean;
}

/** There is data already, and the import was for an empty database. */
export class NotEmpty extends Error {}

/** Text of so many times the limit is larger than the limit in binary, too. Smaller files are counted as they are written. */
const SURELY_TOO_LARGE = 1.5;

/** Of a table from which rows go because those go that they hang on. */
const NOT_READ = { file: null, rows: 0, added: 0, changed: 0, unchanged: 0, absentColumns: [] };

/** Loads all tables of one import, within the transaction of its session. */
export class ImportLoad {
  private readonly problems = new Problems();
  private readonly context: ImportContext;
  private readonly guards: ImportGuards;
  private readonly replacement?: Replacement;
  private readonly counts = new Map<ImportTable, Omit<TableSummary, 'table'>>();

  /** @param before queries the state before the import @param id of its record; null: it has none */
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
   * @returns what happened to each table
   * @throws {ImportRefused} after everything was checked, if anything is wrong; before, if a file is too old
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
      const gone = removed?.get(table) ?? 0;
      if (!this.counts.has(table) && !gone) return [];
      return { table: table.name, ...(this.counts.get(table) ?? NOT_READ), removed: gone };
    });
  }

  /** How prices changed, or would have changed; undefined: no file has prices. */
  get priceChanges(): PriceChanges | undefined {
    return this.guards.priceChanges;
  }

  /** Some of the products that change. */
  get sampleSkus(): readonly string[] {
    return this.context.changes.sampleSkus;
  }

  /** Removes what is not in the files, and runs the guards. @returns how many rows of each table are removed */
  private async finish(): Promise<ReadonlyMap<ImportTable, number> | undefined> {
    // Of files with other problems, not all rows were compared.
    if (!this.problems.none) return undefined;
    const removed = await this.replacement?.finish(this.options.allowRemovals ?? false);
    await this.guards.check(this.problems);
    return removed;
  }

  private async loadTable(table: ImportTable): Promise<void> {
    const source = this.sources.sources.find((candidate) => candidate.table === table);
    // Held no longer than for its table: it knows every key of the file.
    const file = source && (await TableImport.begin(source, this.context, (rows) => this.tell(source, rows)));
    await file?.run();
    if (file) this.counts.set(table, { file: file.source.file, ...file.counts, absentColumns: file.absentColumns });
    if (this.problems.none) await this.replacement?.visit(table, file);
  }

  private tell(source: TableSource, rows: number): void {
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

  /** A first import writes everything. What the group does not accept is better refused before half a minute of work. */
  private async assertFits(): Promise<void> {
    const { limits, query } = this.session;
    const bytes = this.sources.files.reduce((sum, { size }) => sum + size, 0);
    if (!limits.transactionBytes || bytes < limits.transactionBytes * SURELY_TOO_LARGE) return;
    for (const { table } of this.sources.sources)
      if ((await query(`SELECT 1 FROM ${table.name} LIMIT 1`)).length) return;
    throw new TransactionTooLarge(
      `The files have ${bytes} bytes, more than the group of MySQL servers accepts in one transaction. ${remedy(limits.transactionBytes)}`,
    );
  }

  private async assertEmpty(): Promise<void> {
    const [found] = await this.session.query('SELECT 1 FROM products UNION ALL SELECT 1 FROM customers LIMIT 1');
    if (found) throw new NotEmpty('There is data already');
  }
}
