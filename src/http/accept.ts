import { parse } from 'content-type';

/** A media type that can be answered. */
export interface Offer {
  /** In lower case. */
  readonly type: string;
  /**
   * All parameters that it has, in lower case: it is not what a range with others, or with other values, asks for.
   * Undefined: parameters mean nothing with this type, and a range may have any.
   */
  readonly parameters?: Readonly<Record<string, string>>;
}

/** What a client takes: a media type, one half of it, or any. */
interface Range extends Required<Offer> {
  /** How much it likes that, 0 (not at all) to 1. */
  quality: number;
}

const NO_RANGE = /^[^/]*$|\s/;

/**
 * The offer that the header likes best (RFC 9110 §12.5.1), the first of those that it likes alike; undefined: it takes
 * none. Ranges that cannot be read are passed over, and a header without any other is none: it takes everything.
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
    // Java's own client spells it with one star, too.
    ranges.push({ type: type === '*' ? '*/*' : type, parameters: others, quality: Number.parseFloat(q) });
    start = index + 1;
  }
  return ranges.filter(({ type, quality }) => !NO_RANGE.test(type) && quality >= 0);
}

/** That of the range which names the offer most exactly. Looks at each once: a header has room for thousands. */
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

/** How exactly a range names an offer; 0: not at all. @param names the types that name it, the most exact one last */
function exactnessOf({ type, parameters }: Range, offer: Offer, names: readonly string[]): number {
  const level = names.indexOf(type) + 1;
  if (!level || !offer.parameters) return level;
  const named = Object.entries(parameters);
  return named.every(([name, value]) => offer.parameters![name] === value.toLowerCase())
    ? level + named.length / 100
    : 0;
}
