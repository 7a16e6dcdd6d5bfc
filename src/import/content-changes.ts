import type { ProductDocuments } from '../catalog/product-documents.js';
import type { WriteSession } from '../database/engine.js';
import { type ContentPart, renewVersions } from '../versions/content-versions.js';
import type { ImportTable } from './import-tables.js';

/** Maximum number of sample products: in all, and from one batch. */
const [SAMPLES, SAMPLES_PER_BATCH] = [100, 20];

/**
 * Keeps content versions and product documents in step with the rows that an import writes. For all other writers,
 * triggers do this row by row (see the migration). An import does it in batches.
 */
export class ContentChanges {
  private readonly parts = new Map<string, ContentPart>();
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

  /** Notes rows that are written or removed. @param names the columns of `rows`, including the whole key */
  async note(table: ImportTable, names: readonly string[], rows: readonly (readonly unknown[])[]): Promise<void> {
    this.sample(names.indexOf('SKU'), rows);
    const { part, division, inDocument } = table;
    if (part && !division) this.add({ part, code: '' });
    if (part && division) for (const row of rows) this.add({ part, code: String(row[names.indexOf(division)]) });
    if (inDocument) {
      // No other session creates documents during the import.
      this.documentsExist ??= (await this.session.query('SELECT 1 FROM product_documents LIMIT 1')).length > 0;
      if (!this.documentsExist) return;
      const position = names.indexOf('SKU');
      for (const row of rows) this.outdated.add(String(row[position]));
    }
  }

  /** Renews the versions and documents of everything that changed, in the order of the triggers. Call it last. */
  async finish(): Promise<void> {
    await renewVersions(this.session, [...this.parts.values()]);
    await this.documents.forget(this.session, [...this.outdated]);
    await this.documents.store(this.session);
  }

  /** Takes the last SKUs of a batch, because changed rows follow new ones. */
  private sample(position: number, rows: readonly (readonly unknown[])[]): void {
    if (position < 0 || this.sampleSkus.length >= SAMPLES) return;
    for (const row of rows.slice(-SAMPLES_PER_BATCH)) this.sampleSkus.push(String(row[position]));
  }

  private add(part: ContentPart): void {
    this.parts.set(`${part.part}:${part.code}`, part);
  }
}
