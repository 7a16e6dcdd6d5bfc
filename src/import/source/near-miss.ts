import { distance } from 'fastest-levenshtein';

/** The candidate that was most likely meant by a name that is none of them; undefined where none is close. */
export function nearMiss(name: string, candidates: Iterable<string>): string | undefined {
  const plain = plainName(name);
  let best: string | undefined;
  let least = Math.max(1, Math.floor(plain.length / 3)) + 1;
  for (const candidate of candidates) {
    const steps = distance(plain, plainName(candidate));
    if (steps < least) [best, least] = [candidate, steps];
  }
  return best;
}

/** What to add to a complaint about an unknown name: `; did you mean X?`, or nothing. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const near = nearMiss(name, candidates);
  return near === undefined ? '' : `; did you mean ${near}?`;
}

/** Names that differ only in capitals, spaces, underscores or dashes are as good as the same. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, '');
}
