import { setImmediate } from 'node:timers/promises';
import type { WriteSession } from '../database/engine.js';
import type { Row } from '../database/query.js';
import { DamagedRow } from '../resource/json-writer.js';
import { renewAllVersions } from '../versions/renew-versions.js';
import type { DocumentReader } from './document-reader.js';
import { portions } from './portions.js';
import { oneOf } from '../database/sku-conditions.js';

/** How many documents are built before other work gets a turn. */
const YIELD_EVERY = 25;
/** How many documents one statement deletes. */
const DELETED_AT_ONCE = 1000;

/** Writes and deletes stored documents within a transaction of the caller. */
export class DocumentStore {
  constructor(private readonly reader: DocumentReader) {}

  /** Stores the document of each product without one. @returns the number of stored documents */
  async store(session: WriteSession): Promise<number> {
    // Locks the version of the products. Every change of a product renews this version, so all other changes are either
    // committed already or wait until this transaction ends.
    await session.query(`UPDATE content_versions SET Version = Version WHERE Part = 'products'`);
    let count = 0;
    // Pipelines three batches: the database reads one and writes one, while this process builds the documents of the third.
    const missing = this.reader.missing(session.query);
    let reading = missing.next();
    let writing = Promise.resolve();
    try {
      for (let { value: rows, done } = await reading; !done; { value: rows, done } = await reading) {
        reading = missing.next();
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

  /** Deletes the documents of products. */
  async forget(session: WriteSession, skus: readonly string[]): Promise<void> {
    for (let start = 0; start < skus.length; start += DELETED_AT_ONCE) {
      const { sql, parameters } = oneOf(skus.slice(start, start + DELETED_AT_ONCE));
      await session.query(`DELETE FROM product_documents WHERE ${sql}`, parameters);
    }
  }

  /** Renews all versions and deletes all documents, in case a program wrote without firing the triggers. */
  async forgetAll(session: WriteSession): Promise<void> {
    await renewAllVersions(session);
    await session.query('DELETE FROM product_documents');
  }

  /** Builds documents and skips damaged rows, because the damaged row of another program must not block an import. */
  private async documentsOf(rows: readonly Row[], session: WriteSession): Promise<[string, string][]> {
    const documents: [string, string][] = [];
    for (const [index, row] of rows.entries()) {
      // The statements for the other batches are sent only when the event loop continues.
      if (index % YIELD_EVERY === 0) await setImmediate();
      const document = unlessDamaged(() => this.reader.document(row));
      // A document that is too large for a statement is not stored. Each request rebuilds it.
      if (document !== undefined && sizeOf(document) < session.limits.bytes)
        documents.push([row.SKU as string, document]);
    }
    return documents;
  }

  private async insert(session: WriteSession, documents: readonly [string, string][]): Promise<void> {
    const clause = session.upsertClause(['SKU'], ['Shape', 'Document']);
    for (const portion of portions(documents, ([, document]) => sizeOf(document), session.limits.bytes)) {
      const rows = portion.map(() => '(?, ?, ?)').join();
      const parameters = portion.flatMap(([sku, document]) => [sku, this.reader.serializationHash, document]);
      await session.prepared(
        `INSERT INTO product_documents (SKU, Shape, Document) VALUES ${rows}${clause}`,
        parameters,
      );
    }
  }
}

function unlessDamaged<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof DamagedRow) return undefined;
    throw error;
  }
}

/** Maximum bytes of a document in a statement, including the rest of its row. */
const sizeOf = (document: string) => Buffer.byteLength(document) + 500;
