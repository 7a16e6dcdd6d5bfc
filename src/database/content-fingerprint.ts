import type { Query } from './query.js';

/**
 * Returns one hash, in hexadecimal, of all content versions and of the terms of all customers, which have no version. Two
 * databases with the same fingerprint return the same responses to every customer.
 */
export async function contentFingerprint(query: Query): Promise<string> {
  const [row] = await query(SQL);
  return String(row!.Fingerprint);
}

/** Uses SHA2, because MD5 needs a component since MySQL 9.6. */
const hashOf = (...columns: string[]) =>
  `BIT_XOR(CAST(CONV(LEFT(SHA2(CONCAT_WS(',', ${columns.map((column) => `QUOTE(${column})`).join()}), 256), 16), 16, 10) AS UNSIGNED))`;

const TERMS = ['CustomerCode', 'Active', 'PriceListCode', 'WarehouseCode', 'DiscountPercentage'];

const SQL = `SELECT HEX(BIT_XOR(Hash)) AS Fingerprint FROM (
  SELECT ${hashOf('Part', 'Code', 'Version')} AS Hash FROM content_versions
  UNION ALL SELECT ${hashOf(...TERMS)} FROM customers
) AS hashes`;
