import type { SqlPart } from '../database/engine.js';
import type { Query, Row } from '../database/query.js';
import { selectColumns, tableOf } from '../resource/columns.js';
import { arraysOf, columnsOf } from '../resource/field.decorator.js';
import { jsonWriter } from '../resource/json-writer.js';
import { serializationHash } from '../resource/serialization-hash.js';
import type { CustomerTerms } from '../scope/customer-scope.js';
import { isInDocument } from './document-sources.js';
import { portions } from './portions.js';
import { Product } from './product.entity.js';
import { allBetween, oneOf, skusOf } from '../database/sku-conditions.js';

/** How many products without a document are read at once, at most. */
const MISSING_AT_ONCE = 200;
/** Their texts have at most this many bytes, unless a single product has more. */
const MOST_BYTES = 1_000_000;
/** The text after the prices, at the end of an element. The stored document ends before the prices. */
export const DOCUMENT_END = ']}';
const NO_PRICES = `"ProductPrices":[${DOCUMENT_END}`;

const TEXTS = columnsOf(Product).filter(({ type }) => type === 'text');

/** Selects no texts, because a server may sort the rows, and sorting long texts and documents would fail. */
const MISSING = `
  SELECT products.SKU, ${TEXTS.map(({ name }) => `COALESCE(OCTET_LENGTH(products.${name}), 0)`).join(' + ')} AS Bytes FROM products
  LEFT JOIN product_documents ON product_documents.SKU = products.SKU AND product_documents.Shape = ?
  WHERE product_documents.SKU IS NULL AND products.SKU > ? ORDER BY products.SKU LIMIT ${MISSING_AT_ONCE}`;

/** Builds documents from the rows of products and of their arrays. */
export class DocumentReader {
  /** Identifies the serialization of documents. Documents with another hash count as missing. */
  readonly serializationHash = serializationHash(Product);
  private readonly write = jsonWriter(Product);
  private readonly arrays = arraysOf(Product)
    .filter(({ resource }) => isInDocument(resource))
    .map(({ name, resource, orderBy }) => ({
      name,
      sql: (condition: string) =>
        `SELECT ${selectColumns(resource)} FROM ${tableOf(resource)} WHERE ${condition} ORDER BY SKU, ${orderBy}`,
    }));

  /** Builds the documents of products from their rows. @returns documents by SKU @throws {DamagedRow} */
  async make(query: Query, skus: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.read(query, skus, oneOf(skus));
    return new Map(rows.map((row) => [row.SKU as string, this.document(row)]));
  }

  /** Reads the `SKU` and the `Document` of products that have a stored document, in any order. */
  async readStored(query: Query, skus: readonly string[]): Promise<Row[]> {
    if (!skus.length) return [];
    const { sql, parameters } = oneOf(skus);
    const statement = `SELECT SKU, Document FROM product_documents WHERE ${sql} AND Shape = ?`;
    return query(statement, [...parameters, this.serializationHash]);
  }

  /** Yields the products without a document, with their arrays, in the order of the SKUs. */
  async *missing(query: Query): AsyncGenerator<Row[]> {
    for (let last = ''; ;) {
      const found = await query(MISSING, [this.serializationHash, last]);
      if (!found.length) return;
      const skus = skusOf(found);
      last = skus.at(-1)!;
      // If all products in the range lack a document, as at the first start, reading the range is three times faster.
      const condition = (await this.isWholeRange(query, skus)) ? allBetween : oneOf;
      for (const portion of portions(found, bytesOf, MOST_BYTES))
        yield this.read(query, skusOf(portion), condition(skusOf(portion)));
    }
  }

  /** Whether there are no other products between the first and the last SKU. */
  private async isWholeRange(query: Query, skus: readonly string[]): Promise<boolean> {
    const { sql, parameters } = allBetween(skus);
    const further = `SELECT SKU FROM products WHERE ${sql} ORDER BY SKU LIMIT 1 OFFSET ${skus.length}`;
    return (await query(further, parameters)).length === 0;
  }

  /** Reads products with their arrays, in the order of the SKUs. @param condition selects these SKUs */
  private async read(query: Query, skus: readonly string[], condition: SqlPart): Promise<Row[]> {
    if (!skus.length) return [];
    const products = await query(
      `SELECT ${selectColumns(Product)} FROM products WHERE ${condition.sql}`,
      condition.parameters,
    );
    const bySku = new Map(products.map((row) => [row.SKU as string, row]));
    const readArray = async ({ name, sql }: (typeof this.arrays)[number]) => {
      for (const product of products) product[name] = [];
      for (const row of await query(sql(condition.sql), condition.parameters)) {
        // A range can contain rows whose product was deleted while foreign keys were off.
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

const bytesOf = ({ Bytes }: Row) => Number(Bytes);

/** Terms for documents. Reading a term throws, because a document must not depend on the customer. */
const NO_TERMS = new Proxy({} as CustomerTerms, {
  get(_target, term): never {
    throw new Error(`The document of a product is the same for all customers, and cannot depend on ${String(term)}`);
  },
});
