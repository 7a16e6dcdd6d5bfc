import { InvariantViolation } from '../invariants/invariants.js';
import type { ElementBatches } from './format.js';

/** The header with the SKU of the last element. It shows a client whether it has received everything (decision 111). */
export const LAST_SKU = 'X-Last-SKU';

/**
 * Yields the batches, then checks that the last element has the SKU of the header.
 * @param confirm a further check at the end
 * @throws {InvariantViolation} if the SKUs differ
 */
export async function* endingWith(
  lastSku: string | undefined,
  batches: ElementBatches,
  confirm: () => Promise<void>,
): AsyncGenerator<string | Buffer> {
  let last: string | Buffer | undefined;
  for await (const batch of batches) {
    yield batch;
    last = batch;
  }
  await confirm();
  if (last === undefined ? lastSku === undefined : lastSku !== undefined && endsWith(last, lastSku)) return;
  const message = `The last element does not have the SKU ${JSON.stringify(lastSku)}, which ${LAST_SKU} names`;
  throw new InvariantViolation('last_sku', message);
}

/**
 * Whether the last key `SKU` of a batch has this value. JSON escapes quotes within a text, so a value cannot look like
 * a key. The prices at the end of a product have the product's own SKU.
 */
function endsWith(batch: string | Buffer, sku: string): boolean {
  const bytes = typeof batch === 'string' ? Buffer.from(batch) : batch;
  const member = Buffer.from(`"SKU":${JSON.stringify(sku)}`);
  const start = bytes.lastIndexOf('"SKU":');
  return start >= 0 && bytes.subarray(start, start + member.length).equals(member);
}
