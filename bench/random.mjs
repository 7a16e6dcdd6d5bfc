// Pseudo-random test data.

/** Returns a function that picks pseudo-randomly from a list. @param seed integer; equal seeds give equal picks */
export function picker(seed) {
  let state = seed;
  // mulberry32: small, fast, and uniform enough for test data.
  return (values) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return values[((mixed ^ (mixed >>> 14)) >>> 0) % values.length];
  };
}

/** A sentence of `length` words, like a sentence of a catalogue. */
export function sentence(pick, length) {
  let text = pick(WORDS);
  for (let word = 1; word < length; word++) text += (word % 9 === 0 ? ', ' : ' ') + pick(WORDS);
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
}

/** The numbers from 0 to 99. */
export const HUNDRED = Array.from({ length: 100 }, (_, number) => number);

/** The number, padded with zeros to `length` digits. */
export function digits(number, length) {
  return String(number).padStart(length, '0');
}

const WORDS = `adult adjustable all ample and antique applied around authentic back ballroom band baroque bead bell belt
black blouse blue bold bordered braid brass breathable bright brim brocade brooch brown buckle button cap cape captain
carnival chain children classic cloak closure coat collar colourful comfortable complete corset costume cotton crown
crêpe cuff cut dancer décor deep delicate detachable detailed double dress edge elastic elegant embroidered evening
façade faux feather felt festive finished fitted flame flared foam for fringe front frock full gathered gauze gentle
glitter gloves gold golden green grey half hat headpiece heavy hem high hood hook imitation inside jacket jewel knee
Kostüm lace laced lapel large layered leather length light lined lining long loop loose Märchen mask matching medieval
medium metallic mock moiré narrow neckline needs net night Nürnberg of oak old on open orange organza ornament outer
padded pair panel parade partly patch pattern pearl petticoat pirate plain pleated plume pocket polished print printed
puffed purple queen quilted raised real red removable ribbon robust rose round royal ruffle sash satin scarf seam
separate sequin set sewn shaped shawl sheer shiny short shoulder shows side silk silver size skirt sleeve slim small
smooth soft sparkling square stage stiff stitched straight strap strass stretch stripe sturdy style suede sweep tail
taffeta tailored tassel theatre thick thin tie tiered toggle train trim trousers tulle turban two under upper vampire
veil velvet vest vintage waist warm washable wide wig wing with without witch woven wrap Zauberer zip`.split(/\s+/);
