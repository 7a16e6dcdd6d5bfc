import { createHash } from 'node:crypto';

/** 40 bits: two of 10,000 texts have the same hash once in 20,000 such catalogues, and then the import says so. */
const HASH_DIGITS = 10;

/**
 * A text of at most so many characters. A longer one is cut and ends in a hash of the whole, so that the same text always
 * becomes the same, and texts that differ stay different.
 */
export function shortened(text: string, size: number): string {
  const characters = [...text.trim()];
  if (characters.length <= size) return text;
  const hash = createHash('sha256').update(text.trim()).digest('hex').slice(0, HASH_DIGITS);
  const kept = characters.slice(0, size - HASH_DIGITS - 1).join('');
  return `${kept.trimEnd()}-${hash}`;
}
