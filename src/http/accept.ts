import { parse } from 'content-type';

/** A media type that a response can have. */
export interface Offer {
  /** In lower case. */
  readonly type: string;
  /**
   * All parameters of the type, in lower case. A range with other parameters or other values does not match.
   * Undefined: the parameters of a range are ignored.
   */
  readonly parameters?: Readonly<Record<string, string>>;
}

/** A media range that a client accepts: a type, a type with any subtype, or any type. */
interface Range extends Required<Offer> {
  /** The preference, from 0 (not acceptable) to 1. */
  quality: number;
}

const INVALID_RANGE = /^[^/]*$|\s/;

/**
 * Returns the offer that the header prefers (RFC 9110 §12.5.1), or the first of several equal offers. Returns undefined
 * if the header accepts no offer. Unreadable ranges are ignored. A header without a readable range accepts everything.
 */
export function preferred<T extends Offer>(accept: string | undefined, offers: readonly T[]): T | undefined {
  const ranges = rangesOf(accept ?? '');
  if (!ranges.length) return offers[0];
  const qualities = offers.map((offer) => qualityOf(offer, ranges));
  const best = Math.max(...qualities);
  return best > 0 ? offers[qualities.indexOf(best)] : undefined;
}

function rangesOf(accept: string): Range[] {
  const ranges: Range[] = [];
  for (let start = 0; start < accept.length;) {
    const { type, parameters, index } = parse(accept, { comma: true, start });
    const { q = '1', ...others } = parameters;
    // The HTTP client of Java also sends a single star.
    ranges.push({ type: type === '*' ? '*/*' : type, parameters: others, quality: Number.parseFloat(q) });
    start = index + 1;
  }
  return ranges.filter(({ type, quality }) => !INVALID_RANGE.test(type) && quality >= 0);
}

/**
 * Returns the quality of the most exact range that matches the offer. A header may have thousands of ranges, so one
 * pass has to be enough.
 */
function qualityOf(offer: Offer, ranges: readonly Range[]): number {
  const names = ['*/*', offer.type.replace(/\/.*/, '/*'), offer.type];
  let best = { exactness: 0, quality: 0 };
  for (const range of ranges) {
    const exactness = exactnessOf(range, offer, names);
    if (exactness > best.exactness || (exactness && exactness === best.exactness && range.quality > best.quality))
      best = { exactness, quality: range.quality };
  }
  return Math.min(best.quality, 1);
}

/** Returns how exactly a range matches an offer; 0: not at all. @param names matching types, the most exact one last */
function exactnessOf({ type, parameters }: Range, offer: Offer, names: readonly string[]): number {
  const level = names.indexOf(type) + 1;
  if (!level || !offer.parameters) return level;
  const named = Object.entries(parameters);
  return named.every(([name, value]) => offer.parameters![name] === spelled(name, value))
    ? level + named.length / 100
    : 0;
}

/** Returns the value of a parameter as offers spell it. `utf8` is a common spelling of `utf-8`. */
function spelled(name: string, value: string): string {
  const lower = value.toLowerCase();
  return name === 'charset' && lower === 'utf8' ? 'utf-8' : lower;
}
