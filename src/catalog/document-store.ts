import { setImmediate } from 'node:timers/promises';
import type { WriteSession } from '../database/engine.js';
import type { Row } from '../database/query.js';
import { DamagedRow } from '../resource/json-writer.js';
import { renewAllVersions } from '../versions/renew-versions.js';
import type { DocumentReader } from './document-reader.js';
import { oneOf } from '../database/sku-conditions.js';

/** So many documents are made in one go. */
const SOME = 25;
/** So many are forgotten by one statement. */
const FORGOTTEN = 1000;

/** Writes and removes stored documents, within the transactions of others. */
export class DocumentStore {
  constructor(private readonly reader: DocumentReader) {}

  /** Stores the documents of all products that have none. @returns how many that were */
  async store(session: WriteSession): Promise<number> {
    // Whoever changes a product renews this version: from here on they wait, and what they changed before is committed.
    await session.query(`UPDATE content_versions SET Version = Version WHERE Part = 'products'`);
    let count = 0;
    // Of three batches one is read and one is written by the database, while the documents of the third are made.
    let reading = this.reader.readMissing(session.query, '');
    let writing = Promise.resolve();
    try {
      for (let rows = await reading; rows.length; rows = await reading) {
        reading = this.reader.readMissing(session.query, rows.at(-1)!.SKU as string);
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
  async forgetAll(session: WriteSession): Promise<void> {
    await renewAllVersions(session);
    await session.query('DELETE FROM product_documents');
  }

  /** As many documents as there can be: a damaged row of somebody else must not keep an import out. */
  private async documentsOf(rows: readonly Row[], session: WriteSession): Promise<[string, string][]> {
    const documents: [string, string][] = [];
    for (const [index, row] of rows.entries()) {
      // Or else nobody would send the statements that the database is to be at work on.
      if (index % SOME === 0) await setImmediate();
      const document = unlessDamaged(() => this.reader.document(row));
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
