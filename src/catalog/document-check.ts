import type { Snapshot } from '../database/engine.js';
import type { Query } from '../database/query.js';
import type { DocumentReader } from './document-reader.js';
import { skusOf } from '../database/sku-conditions.js';

/** How many documents are compared at once. */
const AT_ONCE = 100;
const ALL = `SELECT SKU FROM products WHERE SKU > ? ORDER BY SKU LIMIT ${AT_ONCE}`;

/** The result of comparing the stored documents with their rows. */
export interface DocumentCheck {
  products: number;
  /** Products without a document. Each request for them rebuilds it. */
  missing: number;
  /** SKUs whose document differs from their rows, because a program wrote without firing the triggers. */
  different: string[];
}

/** Compares every stored document with its rows. */
export async function checkDocuments({ query }: Snapshot, reader: DocumentReader): Promise<DocumentCheck> {
  const check: DocumentCheck = { products: 0, missing: 0, different: [] };
  let last = '';
  for (;;) {
    const skus = skusOf(await query(ALL, [last]));
    if (!skus.length) return check;
    await compare(query, reader, skus, check);
    last = skus.at(-1)!;
  }
}

async function compare(
  query: Query,
  reader: DocumentReader,
  skus: readonly string[],
  check: DocumentCheck,
): Promise<void> {
  const stored = await reader.readStored(query, skus);
  const made = await reader.make(query, skusOf(stored));
  check.products += skus.length;
  check.missing += skus.length - stored.length;
  for (const { SKU, Document } of stored)
    if (String(Document) !== made.get(SKU as string)) check.different.push(SKU as string);
}
