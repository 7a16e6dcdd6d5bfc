import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../database/database.service.js';
import type { WriteSession } from '../database/engine.js';
import type { Query } from '../database/query.js';
import { skusOf } from '../database/sku-conditions.js';
import { checkDocuments, type DocumentCheck } from './document-check.js';
import { DocumentReader } from './document-reader.js';
import type { DocumentRow } from './document-row.js';
import { DocumentStore } from './document-store.js';

/** Counting all missing documents would read the whole table, which may have gigabytes. */
const MISSING_OF_FIRST = `
  SELECT COUNT(*) AS missing FROM (SELECT SKU FROM products ORDER BY SKU LIMIT 100) sampled
  LEFT JOIN product_documents ON product_documents.SKU = sampled.SKU AND product_documents.Shape = ?
  WHERE product_documents.SKU IS NULL`;

/**
 * The documents of products. A document is the JSON of an element of `GET /products`, up to the elements of
 * `ProductPrices`, which differ between customers. Stored documents make responses cheap, because building a document
 * takes much longer than reading it. If a row of a product changes, a trigger deletes its document (see the migration).
 * A missing document is rebuilt on read.
 */
@Injectable()
export class ProductDocuments {
  private readonly reader = new DocumentReader();
  private readonly stored = new DocumentStore(this.reader);
  /** Identifies the serialization of documents. Documents with another hash count as missing. */
  readonly serializationHash = this.reader.serializationHash;

  /** Number of documents that responses of this process needed although they were not stored. */
  madeForResponses = 0;

  constructor(private readonly database: DatabaseService) {}

  /** Builds the documents of products from their rows. @returns documents by SKU @throws {DamagedRow} */
  make(query: Query, skus: readonly string[]): Promise<Map<string, string>> {
    return this.reader.make(query, skus);
  }

  /**
   * Returns the documents of the rows of a response, in their order. Reads those that the rows omit, and builds those that
   * are not stored.
   * @throws {DamagedRow}
   */
  async ofRows(query: Query, rows: readonly DocumentRow[]): Promise<(Buffer | string)[]> {
    const absent = rows.filter(({ Document }) => Document === null);
    const missing = skusOf(absent.filter(({ Bytes }) => Bytes === null));
    const omitted = skusOf(absent.filter(({ Bytes }) => Bytes !== null));
    this.madeForResponses += missing.length;
    const documents = new Map<unknown, Buffer | string>(await this.make(query, missing));
    for (const { SKU, Document } of await this.reader.readStored(query, omitted))
      documents.set(SKU, Document as Buffer | string);
    return rows.map(({ SKU, Document }) => Document ?? documents.get(SKU)!);
  }

  /** Stores missing documents in one transaction. @param all also rebuilds existing documents, and renews all versions */
  async build(all = false): Promise<number> {
    return this.database.write(async (session) => {
      if (all) await this.stored.forgetAll(session);
      return this.stored.store(session);
    });
  }

  /** Whether one of the first products has no document. After a change of the release, all products lack one. */
  async areMissing(): Promise<boolean> {
    const [row] = await this.database.query(MISSING_OF_FIRST, [this.serializationHash]);
    return Number(row?.missing) > 0;
  }

  /** Compares every stored document with its rows, in one snapshot. */
  async check(): Promise<DocumentCheck> {
    const snapshot = await this.database.snapshot();
    try {
      return await checkDocuments(snapshot, this.reader);
    } finally {
      await snapshot.close();
    }
  }

  /** Stores the document of each product without one. @returns the number of stored documents */
  store(session: WriteSession): Promise<number> {
    return this.stored.store(session);
  }

  /** Deletes the documents of products. */
  forget(session: WriteSession, skus: readonly string[]): Promise<void> {
    return this.stored.forget(session, skus);
  }
}
