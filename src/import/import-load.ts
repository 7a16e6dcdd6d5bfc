import type { ProductDocuments } from '../catalog/product-documents.js';
import type { WriteSession } from '../database/engine.js';
import { ContentChanges } from './content-changes.js';
import { ageProblem } from './file-age.js';
import type { ImportProgress, TableSummary } from './import-summary.js';
import { IMPORT_TABLES, type ImportTable } from './import-tables.js';
import { KnownKeys } from './known-keys.js';
import { Problems } from './problems.js';
import { Replacement } from './replacement.js';
import type { Sources } from './source/sources.js';
import { type Complain, SourceFault, type TableSource } from './source/table-source.js';
import { type ImportContext, type RowCounts, TableImport } from './table-import.js';

/** How to load what the files hold. */
export interface LoadOptions {
  /** The files are the whole truth: rows of their tables that are not in them go. */
  replace?: boolean;
  /** However many rows go. */
  allowRemovals?: boolean;
  /** Only tell what would change. */
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

/** Of a table from which rows go because those go that they hang on. */
const NOT_READ = { file: null, rows: 0, added: 0, changed: 0, unchanged: 0 };

/** Loads all tables of one import, within the transaction of its session. */
export class ImportLoad {
  private readonly problems = new Problems();
  private readonly context: ImportContext;
  private readonly replacement?: Replacement;
  private readonly counts = new Map<ImportTable, Pick<TableSummary, 'file'> & RowCounts>();

  constructor(
    private readonly session: WriteSession,
    documents: ProductDocuments,
    private readonly sources: Sources,
    private readonly options: LoadOptions,
    private readonly onProgress: (progress: ImportProgress) => void,
  ) {
    const { replace = false, dryRun = false } = options;
    const changes = new ContentChanges(session, documents);
    const known = new KnownKeys(session);
    this.context = { session, problems: this.problems, known, changes, dryRun, replace, keyFaults: new Set() };
    if (replace) this.replacement = new Replacement(this.context);
  }

  /**
   * @returns what happened to each table
   * @throws {ImportRefused} after everything was checked, if anything is wrong; before, if a file is too old
   */
  async run(): Promise<TableSummary[]> {
    if (this.options.maxAgeMs !== undefined) this.assertRecent(this.options.maxAgeMs);
    if (this.options.onlyIfEmpty) await this.assertEmpty();
    for (const table of IMPORT_TABLES) await this.loadTable(table);
    if (!this.options.allowEmpty)
      for (const { file, message } of this.sources.empty()) this.problems.add(file, 0, '', message);
    const removed = this.problems.none
      ? await this.replacement?.finish(this.options.allowRemovals ?? false)
      : undefined;
    this.problems.assertNone();
    if (!this.context.dryRun) await this.context.changes.finish();
    return IMPORT_TABLES.flatMap((table) => {
      const gone = removed?.get(table) ?? 0;
      if (!this.counts.has(table) && !gone) return [];
      return { table: table.name, ...(this.counts.get(table) ?? NOT_READ), removed: gone };
    });
  }

  private async loadTable(table: ImportTable): Promise<void> {
    const source = this.sources.sources.find((candidate) => candidate.table === table);
    // Held no longer than for its table: it knows every key of the file.
    const file =
      source && (await this.begins(source)) && new TableImport(source, this.context, (rows) => this.tell(source, rows));
    if (file) await file.run();
    if (file) this.counts.set(table, { file: file.source.file, ...file.counts });
    if (this.problems.none) await this.replacement?.visit(table, file || undefined);
  }

  /** Whether the file has something for the table. */
  private async begins(source: TableSource): Promise<boolean> {
    const { problems, known } = this.context;
    try {
      const complain: Complain = (line, column, message) => problems.add(source.file, line, column, message);
      return (await source.begin?.(complain)) ?? true;
    } catch (error) {
      if (!(error instanceof SourceFault)) throw error;
      problems.add(source.file, error.line, error.column, error.message);
      known.giveUp(source.table);
      return false;
    }
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

  private async assertEmpty(): Promise<void> {
    const [found] = await this.session.query('SELECT 1 FROM products UNION ALL SELECT 1 FROM customers LIMIT 1');
    if (found) throw new NotEmpty('There is data already');
  }
}
