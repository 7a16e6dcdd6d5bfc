import type { RowValues } from './cell.js';
import { isHidden } from '../assortment/assortment.js';
import type { ProductDocuments } from '../catalog/product-documents.js';
import { Product } from '../catalog/product.entity.js';
import type { WriteSession } from '../database/engine.js';
import type { ContentPart } from '../versions/content-versions.js';
import { type LoggedState, partKey } from '../versions/change-log.js';
import { allStates, type Departure, pruneHistory, renewVersions } from '../versions/renew-versions.js';
import { hasOneRowPerSku, type ImportTable } from './import-tables.js';

/** Maximum number of sample products: in all, and from one batch. */
const [SAMPLES, SAMPLES_PER_BATCH] = [100, 20];

/** Maximum number of changed SKUs that an import keeps for the change log. Each takes about 100 bytes. */
const MOST_LOGGED = 200_000;

/** How long a superseded version can be the base of a delta. */
const KEPT_MS = 30 * 24 * 3_600_000;

/** If several rows of a SKU change, the departure with the highest rank counts. */
const RANK: Readonly<Record<Departure, number>> = { no: 0, hidden: 1, yes: 2 };

/** The values of a row, and the row itself as it was stored before, in the same order. */
type Values = RowValues;
type StoredValues = (values: Values) => Values | undefined;

/** A part with the SKUs that changed so far; undefined: there are too many, or they are unknown. */
interface NotedPart extends ContentPart {
  skus?: Map<string, Departure>;
}

/**
 * Updates content versions, change log and product documents for the rows that an import writes. For all other writers,
 * triggers renew versions and remove documents row by row (see the migrations). An import does it in batches.
 */
export class ContentChanges {
  private readonly parts = new Map<string, NotedPart>();
  private logged = 0;
  /** The states of the parts before the import. Needed only if triggers change the versions during the import. */
  private before?: ReadonlyMap<string, LoggedState>;
  /** Whether documents existed when the import began; undefined: not queried yet. */
  private documentsExist?: boolean;
  /** SKUs of products whose document is missing or outdated. */
  private readonly outdated = new Set<string>();
  /** SKUs of some changed products. */
  readonly sampleSkus: string[] = [];

  constructor(
    private readonly session: WriteSession,
    private readonly documents: ProductDocuments,
  ) {}

  /** Call it before the first row is written. */
  async begin(): Promise<void> {
    if (this.session.firesTriggers) this.before = await allStates(this.session);
  }

  /**
   * Records rows that were added or changed.
   * @param names the columns of the rows, including all key columns
   * @param storedValues the values that a row had before; undefined: it is new
   */
  async noteWritten(
    table: ImportTable,
    names: readonly string[],
    rows: readonly Values[],
    storedValues: StoredValues,
  ): Promise<void> {
    const status = table.entity === Product ? names.indexOf('Status') : -1;
    const departure = (values: Values): Departure => {
      if (status < 0 || !isHidden(values[status])) return 'no';
      const before = storedValues(values);
      return before !== undefined && !isHidden(before[status]) ? 'yes' : 'hidden';
    };
    await this.note(table, names, rows, departure);
  }

  /** Records rows that were removed, each by the values of its key. */
  async noteRemoved(table: ImportTable, keys: readonly Values[]): Promise<void> {
    // Without the row, an endpoint that reads the table has no element of the SKU.
    const departure = hasOneRowPerSku(table) ? 'yes' : 'no';
    await this.note(table, table.key, keys, () => departure);
  }

  /** Renews the versions and documents of everything that changed, in the order of the triggers. Call it last. */
  async finish(): Promise<void> {
    await renewVersions(this.session, [...this.parts.values()], this.before);
    await pruneHistory(this.session, new Date(Date.now() - KEPT_MS));
    await this.documents.forget(this.session, [...this.outdated]);
    await this.documents.store(this.session);
  }

  private async note(
    table: ImportTable,
    names: readonly string[],
    rows: readonly Values[],
    departure: (values: Values) => Departure,
  ): Promise<void> {
    const position = names.indexOf('SKU');
    this.sample(position, rows);
    const { part, division, inTerms, inDocument } = table;
    if (part)
      for (const values of rows) {
        const code = division ? String(values[names.indexOf(division)]) : '';
        const noted = this.noted({ part, code });
        if (position >= 0) this.log(noted, String(values[position]), departure(values));
        // It is unknown which elements show the row.
        else if (!inTerms) this.forgetSkus(noted);
      }
    if (inDocument) {
      // No other session creates documents during the import.
      this.documentsExist ??= (await this.session.query('SELECT 1 FROM product_documents LIMIT 1')).length > 0;
      if (!this.documentsExist) return;
      for (const row of rows) this.outdated.add(String(row[position]));
    }
  }

  private noted(part: ContentPart): NotedPart {
    const key = partKey(part);
    const noted = this.parts.get(key) ?? { ...part, skus: new Map<string, Departure>() };
    this.parts.set(key, noted);
    return noted;
  }

  private log(noted: NotedPart, sku: string, departure: Departure): void {
    const { skus } = noted;
    if (!skus) return;
    const earlier = skus.get(sku);
    if (!earlier) this.logged++;
    if (!earlier || RANK[departure] > RANK[earlier]) skus.set(sku, departure);
    if (this.logged > MOST_LOGGED) this.forgetSkus(noted);
  }

  private forgetSkus(noted: NotedPart): void {
    this.logged -= noted.skus?.size ?? 0;
    noted.skus = undefined;
  }

  /** Takes the last SKUs of a batch, because changed rows follow new ones. */
  private sample(position: number, rows: readonly Values[]): void {
    if (position < 0 || this.sampleSkus.length >= SAMPLES) return;
    for (const row of rows.slice(-SAMPLES_PER_BATCH)) this.sampleSkus.push(String(row[position]));
  }
}
