import { Product } from '../catalog/product.entity.js';
import type { ProductDocuments } from '../catalog/product-documents.js';
import type { WriteSession } from '../database/engine.js';
import { arraysOf } from '../resource/field.decorator.js';
import { type ContentPart, renewVersions } from '../versions/content-versions.js';
import type { ImportTable } from './import-tables.js';

/** The parts that rows of these tables belong to, by the code in that column. Customers are part of no content. */
const CODED: Readonly<Record<string, { part: ContentPart['part']; column: string }>> = {
  prices: { part: 'prices', column: 'PriceListCode' },
  price_lists: { part: 'prices', column: 'PriceListCode' },
  stock: { part: 'stock', column: 'WarehouseCode' },
  warehouses: { part: 'stock', column: 'WarehouseCode' },
};

/**
 * Keeps what answers are made of in step with the rows that an import writes: what triggers do row by row for everybody
 * else (see the migration), by the batch.
 */
export class ContentChanges {
  private readonly parts = new Map<string, ContentPart>();
  /** Whether there were any when the import began; undefined: not asked yet. */
  private documentsExist?: boolean;

  constructor(
    private readonly session: WriteSession,
    private readonly documents: ProductDocuments,
  ) {}

  /** Notes rows that are written or removed. @param names the columns that `rows` hold, all of the key among them */
  async note(table: ImportTable, names: readonly string[], rows: readonly (readonly unknown[])[]): Promise<void> {
    const coded = CODED[table.name];
    if (coded) {
      const position = names.indexOf(coded.column);
      for (const row of rows) this.add({ part: coded.part, code: String(row[position]) });
    } else if (isProduct(table)) {
      this.add({ part: 'products', code: '' });
      // Nobody else makes documents meanwhile.
      this.documentsExist ??= (await this.session.query('SELECT 1 FROM product_documents LIMIT 1')).length > 0;
      if (!this.documentsExist) return;
      const position = names.indexOf('SKU');
      const skus = [...new Set(rows.map((row) => row[position]))];
      const { sql, parameters } = this.session.rowIn(
        ['SKU'],
        skus.map((sku) => [sku]),
      );
      await this.session.query(`DELETE FROM product_documents WHERE ${sql}`, parameters);
    }
  }

  /** Renews the versions of all that changed, and makes the documents that are missing now. Last of all. */
  async finish(): Promise<void> {
    await renewVersions(this.session, [...this.parts.values()]);
    await this.documents.store(this.session);
  }

  private add(part: ContentPart): void {
    this.parts.set(`${part.part}:${part.code}`, part);
  }
}

const isProduct = ({ entity }: ImportTable) =>
  entity === Product || arraysOf(Product).some(({ resource }) => resource === entity);
