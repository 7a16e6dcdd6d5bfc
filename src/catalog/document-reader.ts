import type { SqlPart } from '../database/engine.js';
import type { Query, Row } from '../database/query.js';
import { selectColumns, tableOf } from '../resource/columns.js';
import { arraysOf } from '../resource/field.decorator.js';
import { jsonWriter } from '../resource/json-writer.js';
import { serializationHash } from '../resource/serialization-hash.js';
import type { CustomerTerms } from '../scope/customer-scope.js';
import { isInDocument } from './document-sources.js';
import { Product } from './product.entity.js';
import { allBetween, oneOf, skusOf } from '../database/sku-conditions.js';

/** So many products are read at once. */
export const BATCH = 100;
/** What a document ends with once its prices are in. */
export const DOCUMENT_END = ']}';
const NO_PRICES = `"ProductPrices":[${DOCUMENT_END}`;

/** Lists SKUs only: a server that thinks it better to sort them could not do that with long texts and documents. */
const MISSING = `
  SELECT products.SKU FROM products
  LEFT JOIN product_documents ON product_documents.SKU = products.SKU AND product_documents.Shape = ?
  WHERE product_documents.SKU IS NULL AND products.SKU > ? ORDER BY products.SKU LIMIT ${BATCH}`;

/** Makes documents from the rows of products and of their arrays. */
export class DocumentReader {
  /** Names how documents are made. Those of another version of the service are none. */
  readonly serializationHash = serializationHash(Product);
  private readonly write = jsonWriter(Product);
  private readonly arrays = arraysOf(Product)
    .filter(({ resource }) => isInDocument(resource))
    .map(({ name, resource, orderBy }) => ({
      name,
      sql: (condition: string) =>
        `SELECT ${selectColumns(resource)} FROM ${tableOf(resource)} WHERE ${condition} ORDER BY SKU, ${orderBy}`,
    }));

  /** Makes the documents of products, by SKU, from their rows. @throws if a row is damaged */
  async make(query: Query, skus: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.read(query, skus, oneOf(skus));
    return new Map(rows.map((row) => [row.SKU as string, this.document(row)]));
  }

  /** The next products without a document. */
  async readMissing(query: Query, last: string): Promise<Row[]> {
    const skus = skusOf(await query(MISSING, [this.serializationHash, last]));
    if (!skus.length) return [];
    const between = allBetween(skus);
    // Where all are missing, as at first, reading them as a range is three times cheaper.
    const further = `SELECT SKU FROM products WHERE ${between.sql} ORDER BY SKU LIMIT 1 OFFSET ${skus.length}`;
    const [more] = await query(further, between.parameters);
    return this.read(query, skus, more ? oneOf(skus) : between);
  }

  /** Products with their arrays, in the order of the SKUs. @param which the condition that these are named by */
  private async read(query: Query, skus: readonly string[], which: SqlPart): Promise<Row[]> {
    if (!skus.length) return [];
    const products = await query(`SELECT ${selectColumns(Product)} FROM products WHERE ${which.sql}`, which.parameters);
    const bySku = new Map(products.map((row) => [row.SKU as string, row]));
    const readArray = async ({ name, sql }: (typeof this.arrays)[number]) => {
      for (const product of products) product[name] = [];
      for (const row of await query(sql(which.sql), which.parameters)) {
        // A range may hold rows whose product somebody deleted past the references.
        const product = bySku.get(row.SKU as string);
        if (product) (product[name] as Row[]).push(row);
      }
    };
    await Promise.all(this.arrays.map(readArray));
    return skus.map((sku) => bySku.get(sku)).filter((row) => row !== undefined);
  }

  /** @throws {DamagedRow} if the row cannot be written */
  document(row: Row): string {
    const element = this.write(row, NO_TERMS);
    if (!element.endsWith(NO_PRICES)) throw new Error('ProductPrices is not the last array of a product');
    return element.slice(0, -DOCUMENT_END.length);
  }
}

/** Terms that no document may read. */
const NO_TERMS = new Proxy({} as CustomerTerms, {
  get(_target, term): never {
    throw new Error(`The document of a product is the same for all customers, and cannot depend on ${String(term)}`);
  },
});
