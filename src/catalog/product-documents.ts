import { Injectable } from '@nestjs/common';
import { setImmediate } from 'node:timers/promises';
import { DatabaseService } from '../database/database.service.js';
import type { SqlPart, WriteSession } from '../database/engine.js';
import type { Query, Row } from '../database/query.js';
import { selectColumns, tableOf } from '../resource/columns.js';
import { arraysOf } from '../resource/field.decorator.js';
import { DamagedRow, jsonWriter } from '../resource/json-writer.js';
import { shapeOf } from '../resource/shape.js';
import type { CustomerTerms } from '../scope/customer-scope.js';
import { renewAllVersions } from '../versions/content-versions.js';
import { isInDocument } from './document-sources.js';
import { Product } from './product.entity.js';

const BATCH = 100;
/** So many documents are made in one go. */
const SOME = 25;
/** So many are forgotten by one statement. */
const FORGOTTEN = 1000;
/** What a document ends with once its prices are in. */
export const DOCUMENT_END = ']}';
const NO_PRICES = `"ProductPrices":[${DOCUMENT_END}`;

/** Lists SKUs only: a server that thinks it better to sort them could not do that with long texts and documents. */
const MISSING = `
  SELECT products.SKU FROM products
  LEFT JOIN product_documents ON product_documents.SKU = products.SKU AND product_documents.Shape = ?
  WHERE product_documents.SKU IS NULL AND products.SKU > ? ORDER BY products.SKU LIMIT ${BATCH}`;

const ALL = `SELECT SKU FROM products WHERE SKU > ? ORDER BY SKU LIMIT ${BATCH}`;

/** How the stored documents compare with their rows. */
export interface DocumentCheck {
  products: number;
  /** Products without a document, which is made whenever they are asked for. */
  missing: number;
  /** SKUs whose document is not what their rows say: somebody wrote past the triggers. */
  different: string[];
}

/**
 * The documents of products: what `GET /products` answers of each, up to the elements of `ProductPrices`, which differ
 * from customer to customer. They are stored, so that an answer is hardly more than reading them. A document is there
 * only as long as the rows that it is made from stay as they are (see the migration); who misses one makes it.
 */
@Injectable()
export class ProductDocuments {
  /** Names how documents are made. Those of another version of the service are none. */
  readonly shape = shapeOf(Product);
  private readonly write = jsonWriter(Product);
  private readonly arrays = arraysOf(Product)
    .filter(({ resource }) => isInDocument(resource))
    .map(({ name, resource, orderBy }) => ({
      name,
      sql: (condition: string) =>
        `SELECT ${selectColumns(resource)} FROM ${tableOf(resource)} WHERE ${condition} ORDER BY SKU, ${orderBy}`,
    }));

  constructor(private readonly database: DatabaseService) {}

  /** Makes the documents of products, by SKU, from their rows. @throws if a row is damaged */
  async make(query: Query, skus: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.read(query, skus, oneOf(skus));
    return new Map(rows.map((row) => [row.SKU as string, this.document(row)]));
  }

  /** Stores the missing documents in a transaction of their own. @param all make those anew that are there, too */
  async build(all = false): Promise<number> {
    return this.database.write(async (session) => {
      if (all) await this.forgetAll(session);
      return this.store(session);
    });
  }

  /** Compares every stored document with the rows that it was made from, in one snapshot. */
  async check(): Promise<DocumentCheck> {
    const snapshot = await this.database.snapshot();
    try {
      const check: DocumentCheck = { products: 0, missing: 0, different: [] };
      let last = '';
      for (;;) {
        const skus = skusOf(await snapshot.query(ALL, [last]));
        if (!skus.length) return check;
        await this.compare(snapshot.query, skus, check);
        last = skus.at(-1)!;
      }
    } finally {
      await snapshot.close();
    }
  }

  /** Stores the documents of all products that have none. @returns how many that were */
  async store(session: WriteSession): Promise<number> {
    // Whoever changes a product renews this version: from here on they wait, and what they changed before is committed.
    await session.query(`UPDATE content_versions SET Version = Version WHERE Part = 'products'`);
    let count = 0;
    // Of three batches one is read and one is written by the database, while the documents of the third are made.
    let reading = this.readMissing(session.query, '');
    let writing = Promise.resolve();
    try {
      for (let rows = await reading; rows.length; rows = await reading) {
        reading = this.readMissing(session.query, rows.at(-1)!.SKU as string);
        reading.catch(() => undefined);
        const documents = await this.documentsOf(rows, session);
        await writing;
        writing = this.insert(session, documents);
        writing.catch(() => undefined);
        count += documents.length;
      }
      await writing;
      return count;
    } finally {
      await Promise.allSettled([reading, writing]);
    }
  }

  /** Removes the documents of products. */
  async forget(session: WriteSession, skus: readonly string[]): Promise<void> {
    for (let start = 0; start < skus.length; start += FORGOTTEN) {
      const { sql, parameters } = oneOf(skus.slice(start, start + FORGOTTEN));
      await session.query(`DELETE FROM product_documents WHERE ${sql}`, parameters);
    }
  }

  /** Leaves neither versions nor documents as they were, since somebody wrote past the triggers. */
  private async forgetAll(session: WriteSession): Promise<void> {
    await renewAllVersions(session);
    await session.query('DELETE FROM product_documents');
  }

  private async compare(query: Query, skus: readonly string[], check: DocumentCheck): Promise<void> {
    const { sql, parameters } = oneOf(skus);
    const stored = await query(`SELECT SKU, Document FROM product_documents WHERE ${sql} AND Shape = ?`, [
      ...parameters,
      this.shape,
    ]);
    const made = await this.make(query, skusOf(stored));
    check.products += skus.length;
    check.missing += skus.length - stored.length;
    for (const { SKU, Document } of stored)
      if (String(Document) !== made.get(SKU as string)) check.different.push(SKU as string);
  }

  /** The next products without a document. */
  private async readMissing(query: Query, last: string): Promise<Row[]> {
    const skus = skusOf(await query(MISSING, [this.shape, last]));
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

  /** As many documents as there can be: a damaged row of somebody else must not keep an import out. */
  private async documentsOf(rows: readonly Row[], session: WriteSession): Promise<[string, string][]> {
    const documents: [string, string][] = [];
    for (const [index, row] of rows.entries()) {
      // Or else nobody would send the statements that the database is to be at work on.
      if (index % SOME === 0) await setImmediate();
      const document = unlessDamaged(() => this.document(row));
      // One that no statement can hold is made whenever it is asked for.
      if (document !== undefined && sizeOf(document) < session.limits.bytes)
        documents.push([row.SKU as string, document]);
    }
    return documents;
  }

  private async insert(session: WriteSession, documents: readonly [string, string][]): Promise<void> {
    const clause = session.upsertClause(['SKU'], ['Shape', 'Document']);
    for (const portion of portions(documents, session.limits.bytes)) {
      const rows = portion.map(() => '(?, ?, ?)').join();
      const parameters = portion.flatMap(([sku, document]) => [sku, this.shape, document]);
      await session.prepared(
        `INSERT INTO product_documents (SKU, Shape, Document) VALUES ${rows}${clause}`,
        parameters,
      );
    }
  }

  private document(row: Row): string {
    const element = this.write(row, NOBODY);
    if (!element.endsWith(NO_PRICES)) throw new Error('ProductPrices is not the last array of a product');
    return element.slice(0, -DOCUMENT_END.length);
  }
}

/** Terms that no document may read. */
const NOBODY = new Proxy({} as CustomerTerms, {
  get(_target, term): never {
    throw new Error(`The document of a product is the same for all customers, and cannot depend on ${String(term)}`);
  },
});

function unlessDamaged<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof DamagedRow) return undefined;
    throw error;
  }
}

/** The condition that a SKU is one of these. */
const oneOf = (skus: readonly string[]): SqlPart => ({
  sql: `SKU IN (${skus.map(() => '?').join()})`,
  parameters: skus,
});

/** The condition that a SKU is one of these, which are in order, or between two of them. */
const allBetween = (skus: readonly string[]): SqlPart => ({
  sql: 'SKU BETWEEN ? AND ?',
  parameters: [skus[0], skus.at(-1)],
});

const skusOf = (rows: readonly Row[]) => rows.map(({ SKU }) => SKU as string);

/** What a document takes in a statement at most, with the rest of its row, in bytes. */
const sizeOf = (document: string) => Buffer.byteLength(document) + 500;

/** The documents in portions of at most so many bytes. */
function* portions(documents: readonly [string, string][], most: number): Generator<[string, string][]> {
  let portion: [string, string][] = [];
  let bytes = 0;
  for (const one of documents) {
    const size = sizeOf(one[1]);
    if (portion.length && bytes + size > most) {
      yield portion;
      [portion, bytes] = [[], 0];
    }
    portion.push(one);
    bytes += size;
  }
  if (portion.length) yield portion;
}
