import { distance } from 'fastest-levenshtein';

/** Nothing of such a length was meant to be a name. */
const LONGEST_NAME = 100;

/** `; did you mean Barcode?` where one of the names is near enough to the one that is unknown, else nothing. */
export function didYouMean(unknown: string, names: readonly string[]): string {
  if (unknown.length > LONGEST_NAME) return '';
  const plain = plainName(unknown);
  const [best] = names
    .map((name) => ({ name, edits: distance(plain, plainName(name)) }))
    .toSorted((one, other) => one.edits - other.edits);
  return best && best.edits <= plain.length / 3 ? `; did you mean ${best.name}?` : '';
}

/** Case, spaces, underscores and dashes are what people get wrong without meaning another name. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, '');
}
