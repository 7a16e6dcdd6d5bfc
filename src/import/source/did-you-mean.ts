import { distance } from 'fastest-levenshtein';

/** Longer texts are not compared, because no name is that long. */
const MAX_NAME_LENGTH = 100;

/** Returns `; did you mean Barcode?` if one of the names is similar to the unknown one, else ''. */
export function didYouMean(unknown: string, names: readonly string[]): string {
  if (unknown.length > MAX_NAME_LENGTH) return '';
  const plain = plainName(unknown);
  const [best] = names
    .map((name) => ({ name, edits: distance(plain, plainName(name)) }))
    .toSorted((one, other) => one.edits - other.edits);
  return best && best.edits <= plain.length / 3 ? `; did you mean ${best.name}?` : '';
}

/** Ignores case, spaces, underscores and dashes, which are often mistyped. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, '');
}
