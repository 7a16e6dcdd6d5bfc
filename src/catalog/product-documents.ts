import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../database/database.service.js';
import type { WriteSession } from '../database/engine.js';
import type { Query } from '../database/query.js';
import { checkDocuments, type DocumentCheck } from './document-check.js';
import { DocumentReader } from './document-reader.js';
import { DocumentStore } from './document-store.js';

/**
 * The documents of products: what `GET /products` answers of each, up to the elements of `ProductPrices`, which differ
 * from customer to customer. They are stored, so that an answer is hardly more than reading them. A document is there
 * only as long as the rows that it is made from stay as they are (see the migration); a reader that misses one makes it.
 */
@Injectable()
export class ProductDocuments {
  private readonly reader = new DocumentReader();
  private readonly stored = new DocumentStore(this.reader);
  /** Names how documents are made. Those of another version of the service are none. */
  readonly serializationHash = this.reader.serializationHash;

  constructor(private readonly database: DatabaseService) {}

  /** Makes the documents of products, by SKU, from their rows. @throws if a row is damaged */
  make(query: Query, skus: readonly string[]): Promise<Map<string, string>> {
    return this.reader.make(query, skus);
  }

  /** Stores the missing documents in a transaction of their own. @param all make those anew that are there, too */
  async build(all = false): Promise<number> {
    return this.database.write(async (session) => {
      if (all) await this.stored.forgetAll(session);
      return this.stored.store(session);
    });
  }

  /** Compares every stored document with the rows that it was made from, in one snapshot. */
  async check(): Promise<DocumentCheck> {
    const snapshot = await this.database.snapshot();
    try {
      return await checkDocuments(snapshot, this.reader);
    } finally {
      await snapshot.close();
    }
  }

  /** Stores the documents of all products that have none. @returns how many that were */
  store(session: WriteSession): Promise<number> {
    return this.stored.store(session);
  }

  /** Removes the documents of products. */
  forget(session: WriteSession, skus: readonly string[]): Promise<void> {
    return this.stored.forget(session, skus);
  }
}
