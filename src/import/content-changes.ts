import type { ProductDocuments } from '../catalog/product-documents.js';
import type { WriteSession } from '../database/engine.js';
import { type ContentPart, renewVersions } from '../versions/content-versions.js';
import type { ImportTable } from './import-tables.js';

/** How many products are kept as samples, and how many of them from one batch. */
const [SAMPLES, SAMPLED_AT_ONCE] = [100, 20];

/**
 * Keeps what answers are made of in step with the rows that an import writes: what triggers do row by row for everybody
 * else (see the migration), by the batch.
 */
export class ContentChanges {
  private readonly parts = new Map<string, ContentPart>();
  /** Whether there were any when the import began; undefined: not asked yet. */
  private documentsExist?: boolean;
  /** SKUs of products of which there is no document, or one that no longer holds. */
  private readonly outdated = new Set<string>();
  /** Some of the products that change. */
  readonly sampleSkus: string[] = [];

  constructor(
    private readonly session: WriteSession,
    private readonly documents: ProductDocuments,
  ) {}

  /** Notes rows that are written or removed. @param names the columns that `rows` hold, all of the key among them */
  async note(table: ImportTable, names: readonly string[], rows: readonly (readonly unknown[])[]): Promise<void> {
    this.sample(names.indexOf('SKU'), rows);
    const { part, division, inDocument } = table;
    if (part && !division) this.add({ part, code: '' });
    if (part && division) for (const row of rows) this.add({ part, code: String(row[names.indexOf(division)]) });
    if (inDocument) {
      // Nobody else makes documents meanwhile.
      this.documentsExist ??= (await this.session.query('SELECT 1 FROM product_documents LIMIT 1')).length > 0;
      if (!this.documentsExist) return;
      const position = names.indexOf('SKU');
      for (const row of rows) this.outdated.add(String(row[position]));
    }
  }

  /** Renews versions and documents of all that changed, in the order of the triggers. Last of all. */
  async finish(): Promise<void> {
    await renewVersions(this.session, [...this.parts.values()]);
    await this.documents.forget(this.session, [...this.outdated]);
    await this.documents.store(this.session);
  }

  /** Keeps the last SKUs of a batch: changed rows stand behind new ones. */
  private sample(position: number, rows: readonly (readonly unknown[])[]): void {
    if (position < 0 || this.sampleSkus.length >= SAMPLES) return;
    for (const row of rows.slice(-SAMPLED_AT_ONCE)) this.sampleSkus.push(String(row[position]));
  }

  private add(part: ContentPart): void {
    this.parts.set(`${part.part}:${part.code}`, part);
  }
}
