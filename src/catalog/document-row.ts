import type { Row } from '../database/query.js';

/** The columns of a stored document. */
export interface DocumentRow extends Row {
  /** The size of the document, which MySQL returns as a text. Null: no document is stored. */
  Bytes: number | string | null;
  /** Null: no document is stored, or the statement omitted it because of its size. */
  Document: Buffer | string | null;
}

/** The assumed size of a document that is not stored: a usual one. A piece has at most 100 of them. */
const UNKNOWN_BYTES = 2500;

/** The SELECT list of a {@link DocumentRow}. @param most omits documents that are larger, in bytes */
export function documentColumns(most: number): string {
  const bytes = 'OCTET_LENGTH(product_documents.Document)';
  return `${bytes} AS Bytes, CASE WHEN ${bytes} <= ${most} THEN product_documents.Document END AS Document`;
}

/** The size of the document, in bytes. */
export const bytesOf = ({ Bytes }: DocumentRow): number => Number(Bytes ?? UNKNOWN_BYTES);
