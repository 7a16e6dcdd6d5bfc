import type { Snapshot } from '../database/engine.js';
import type { Query } from '../database/query.js';
import { BATCH, type DocumentReader } from './document-reader.js';
import { oneOf, skusOf } from '../database/sku-conditions.js';

const ALL = `SELECT SKU FROM products WHERE SKU > ? ORDER BY SKU LIMIT ${BATCH}`;

/** How the stored documents compare with their rows. */
export interface DocumentCheck {
  products: number;
  /** Products without a document, which is made whenever they are asked for. */
  missing: number;
  /** SKUs whose document is not what their rows say: somebody wrote past the triggers. */
  different: string[];
}

/** Compares every stored document with the rows that it was made from. */
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
  const { sql, parameters } = oneOf(skus);
  const stored = await query(`SELECT SKU, Document FROM product_documents WHERE ${sql} AND Shape = ?`, [
    ...parameters,
    reader.serializationHash,
  ]);
  const made = await reader.make(query, skusOf(stored));
  check.products += skus.length;
  check.missing += skus.length - stored.length;
  for (const { SKU, Document } of stored)
    if (String(Document) !== made.get(SKU as string)) check.different.push(SKU as string);
}
