import type { Query } from './query.js';

/**
 * One number for the state of the content: all versions, and the terms of all customers, which have no version. Two
 * databases with the same fingerprint give every customer the same responses.
 */
export async function contentFingerprint(query: Query): Promise<string> {
  const [row] = await query(SQL);
  return String(row!.Fingerprint);
}

/** MD5() would be shorter, but MySQL has it in a component from 9.6 on. */
const hashOf = (...columns: string[]) =>
  `BIT_XOR(CAST(CONV(LEFT(SHA2(CONCAT_WS(',', ${columns.map((column) => `QUOTE(${column})`).join()}), 256), 16), 16, 10) AS UNSIGNED))`;

const TERMS = ['CustomerCode', 'Active', 'PriceListCode', 'WarehouseCode', 'DiscountPercentage'];

const SQL = `SELECT HEX(BIT_XOR(Hash)) AS Fingerprint FROM (
  SELECT ${hashOf('Part', 'Code', 'Version')} AS Hash FROM content_versions
  UNION ALL SELECT ${hashOf(...TERMS)} FROM customers
) AS hashes`;
