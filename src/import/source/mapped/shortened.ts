import { createHash } from 'node:crypto';

/**
 * 40 bits: among 20,000 catalogues with 10,000 texts each, about one contains two texts with the same hash. The import
 * reports such a pair.
 */
const HASH_DIGITS = 10;

/**
 * Shortens a text to at most `size` characters. A hash of the whole text replaces the end of a longer text. Equal texts
 * therefore stay equal, and different texts stay different.
 */
export function shortened(text: string, size: number): string {
  const characters = [...text.trim()];
  if (characters.length <= size) return text;
  const hash = createHash('sha256').update(text.trim()).digest('hex').slice(0, HASH_DIGITS);
  const start = characters.slice(0, size - HASH_DIGITS - 1).join('');
  return `${start.trimEnd()}-${hash}`;
}
