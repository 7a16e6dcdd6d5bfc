import { decimalText } from '../resource/decimal-text.js';

/** With fewer stored prices, a wrong file cannot be distinguished from ordinary price changes. */
export const MIN_COMPARED = 10;
/** More than one large change in 20 prices (5 %) is refused. A large change is a change by more than half. */
const ONE_IN_LARGE = 20n;
/** More than one change in 10 prices by the same power of ten is refused. */
const ONE_IN_POWER = 10n;
/** Number of changes that a message names. */
const SHOWN = 10;
const SCALE = 4;

/**
 * The ranges of the histogram. The bound of a range is the new price as a percentage of the old one. `below` excludes
 * the bound, `upTo` includes it: exactly 50 % and exactly 150 % are not large changes.
 */
const RANGES = [
  { label: '-100..-50', below: 50n },
  { label: '-50..-20', below: 80n },
  { label: '-20..-5', below: 95n },
  { label: '-5..0', below: 100n },
  { label: '0..5', upTo: 105n },
  { label: '5..20', upTo: 120n },
  { label: '20..50', upTo: 150n },
] as const;
const UNCHANGED = '0';
const HIGHEST = '50..';
const LARGE = new Set(['-100..-50', HIGHEST]);
const LABELS = ['-100..-50', '-50..-20', '-20..-5', '-5..0', UNCHANGED, '0..5', '5..20', '20..50', HIGHEST];

/** Comparison of new prices with the stored ones. The record of an import contains it. */
export interface PriceChanges {
  /** Number of prices whose old price is above 0. */
  compared: number;
  /** Number of prices whose old price is 0. Their change has no percentage. */
  fromZero: number;
  /** Number of prices whose currency changes. No percentage describes this change. */
  otherCurrency: number;
  /** Number of compared prices by change in percent; "0" counts the unchanged ones. */
  histogram: Record<string, number>;
  /** For each power of ten, the number of compared prices that are the old price times this power. */
  powersOfTen: Record<string, number>;
}

/** One price before and after. */
export interface PriceChange {
  /** The row, for example `SKU A-1 on list EUR, line 7`. */
  place: string;
  old: string;
  new: string;
}

/** The comparison of two prices. */
export interface ComparedPrice {
  old: string;
  new: string;
  /** Label of the histogram range; undefined: the old price is 0. */
  label?: string;
  /** Only for a change by more than half: a size for sorting and, if the change is by a power of ten, this power. */
  large?: { power?: number; size: number };
}

/** Compares prices exactly, one by one, and detects probable mistakes. Its memory does not grow with their number. */
export class PriceTally {
  private compared = 0;
  private fromZero = 0;
  private otherCurrency = 0;
  private large = 0;
  private readonly histogram = new Map(LABELS.map((label) => [label, 0]));
  private readonly powers = new Map<number, number>();
  /** The largest changes in descending order. */
  private readonly largest: { size: number; change: PriceChange }[] = [];

  /**
   * Adds a pair of prices.
   * @param oldPrice decimal as text with at most four decimals, in the same notation as `newPrice`
   * @param place describes the row; called only if the change may be shown
   */
  add(oldPrice: string, newPrice: string, place: () => string): void {
    this.addCompared(comparePrices(oldPrice, newPrice), place);
  }

  /** Adds a comparison, which several tallies may share. @param place called only if the change may be shown */
  addCompared({ label, large, old, new: newPrice }: ComparedPrice, place: () => string): void {
    if (label === undefined) return void this.fromZero++;
    this.count(label);
    if (!large) return;
    this.large++;
    const { power, size } = large;
    if (power) this.powers.set(power, (this.powers.get(power) ?? 0) + 1);
    this.addLarge(size, place, old, newPrice);
  }

  /** Adds a price whose currency changes. It counts as a change by more than half, because it has no percentage. */
  addOtherCurrency(oldPrice: string, newPrice: string, place: () => string): void {
    this.compared++;
    this.otherCurrency++;
    this.large++;
    this.addLarge(0, place, oldPrice, newPrice);
  }

  get changes(): PriceChanges {
    const powers = [...this.powers].toSorted(([one], [other]) => one - other);
    return {
      compared: this.compared,
      fromZero: this.fromZero,
      otherCurrency: this.otherCurrency,
      histogram: Object.fromEntries(this.histogram),
      powersOfTen: Object.fromEntries(powers.map(([power, count]) => [factor(power), count])),
    };
  }

  /**
   * The message if the changes look like a mistake; otherwise undefined.
   * @param prices names the prices, for example `stored prices`
   */
  problem(prices: string): string | undefined {
    const { compared, large, otherCurrency } = this;
    if (compared < MIN_COMPARED) return undefined;
    const all = BigInt(compared);
    const powers = [...this.powers].filter(([, count]) => BigInt(count) * ONE_IN_POWER > all);
    if (BigInt(large) * ONE_IN_LARGE <= all && !powers.length) return undefined;
    const percent = ((large / compared) * 100).toFixed(1);
    const change = otherCurrency ? 'by more than half or to another currency' : 'by more than half';
    const hints = powers.map(
      ([power, count]) =>
        `; ${count} are ${factor(power)} times the old price: check the decimal separator and the unit`,
    );
    const shown = this.largest.map((one) => `${one.change.place}: ${one.change.old} to ${one.change.new}`).join(', ');
    return `${large} of ${compared} ${prices} would change ${change} (${percent} %), 5 % is the maximum${hints.join('')}; the largest changes: ${shown}. If the new prices are right, pass --allow-price-changes`;
  }

  private count(label: string): void {
    this.compared++;
    this.histogram.set(label, this.histogram.get(label)! + 1);
  }

  /** Adds a change to the list of the largest changes, if it is large enough. @param size only for sorting */
  private addLarge(size: number, place: () => string, oldPrice: string, newPrice: string): void {
    const { largest } = this;
    if (largest.length === SHOWN && largest.at(-1)!.size >= size) return;
    const behind = largest.findIndex((other) => other.size < size);
    const entry = { size, change: { place: place(), old: oldPrice, new: newPrice } };
    largest.splice(behind < 0 ? largest.length : behind, 0, entry);
    if (largest.length > SHOWN) largest.pop();
  }
}

/**
 * Compares two prices exactly.
 * @param oldPrice decimal as text with at most four decimals, in the same notation as `newPrice`
 */
export function comparePrices(oldPrice: string, newPrice: string): ComparedPrice {
  const prices = { old: oldPrice, new: newPrice };
  if (oldPrice === newPrice && Number(oldPrice) !== 0) return { ...prices, label: UNCHANGED };
  const [before, after] = [unitsOf(oldPrice), unitsOf(newPrice)];
  if (before === 0n) return prices;
  const label = rangeOf(before, after);
  if (!LARGE.has(label)) return { ...prices, label };
  const size = Math.abs(Math.log(Number(after) / Number(before)));
  return { ...prices, label, large: { power: powerOfTen(before, after, newPrice), size } };
}

/** Converts a decimal with at most four decimals to ten-thousandths. */
export function unitsOf(price: string): bigint {
  return BigInt(decimalText(price, SCALE).replace('.', ''));
}

function rangeOf(before: bigint, after: bigint): string {
  const percent = after * 100n;
  if (after === before) return UNCHANGED;
  const range = RANGES.find((one) =>
    'below' in one ? percent < one.below * before : percent <= one.upTo * before && after > before,
  );
  return range?.label ?? HIGHEST;
}

/**
 * The power of ten, other than 0, that turns the old price into the new one. The product is rounded half up to as many
 * decimals as the new price has. For example, the power -2 turns 19.95 into 0.2. @returns undefined if there is none
 */
function powerOfTen(before: bigint, after: bigint, newPrice: string): number | undefined {
  if (after === 0n) return undefined;
  const decimals = decimalText(newPrice).split('.')[1]?.length ?? 0;
  const unit = 10n ** BigInt(SCALE - decimals);
  const digits = String(after).length - String(before).length;
  return [digits - 1, digits, digits + 1].find((power) => power && times(before, power, unit) === after);
}

/** A price times a power of ten, rounded half up to a multiple of `unit`. */
function times(price: bigint, power: number, unit: bigint): bigint {
  const scaled = power > 0 ? price * 10n ** BigInt(power) : price;
  const divisor = power > 0 ? unit : unit * 10n ** BigInt(-power);
  return ((2n * scaled + divisor) / (2n * divisor)) * unit;
}

/** Writes 10 to this power in decimal notation: `100`, `0.01`. */
function factor(power: number): string {
  return power > 0 ? `1${'0'.repeat(power)}` : `0.${'0'.repeat(-power - 1)}1`;
}
