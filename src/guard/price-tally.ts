import { decimalText } from '../resource/decimal-text.js';

/** Fewer stored prices are not enough to tell a wrong file from a new price. */
export const FEWEST_COMPARED = 10;
/** Refused if more than one price in 20 (5 %) changes by more than half. */
const ONE_IN_LARGE = 20n;
/** Refused if more than one price in 10 changes by the same power of ten. */
const ONE_IN_POWER = 10n;
/** How many changes a message names. */
const NAMED = 10;
const SCALE = 4;

/**
 * The ranges of the histogram, each up to this percentage of the old price. Below 100 the upper bound belongs to the
 * next range, above 100 to the range itself: exactly 50 % and exactly 150 % are no large changes.
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

/** How prices that are both new and stored compare. The record of an import keeps it. */
export interface PriceChanges {
  /** Prices whose old price is above 0. */
  compared: number;
  /** Prices whose old price is 0. No percentage exists for them. */
  fromZero: number;
  /** Prices whose currency changes, which no percentage describes. */
  otherCurrency: number;
  /** Number of compared prices by change in percent; "0" are those that stay. */
  histogram: Record<string, number>;
  /** Number of compared prices that are the old price times this power of ten. */
  powersOfTen: Record<string, number>;
}

/** One price before and after. */
export interface PriceChange {
  /** Names the row, for example `SKU A-1 on list EUR, line 7`. */
  place: string;
  old: string;
  new: string;
}

/** How two prices compare. */
export interface ComparedPrice {
  old: string;
  new: string;
  /** Of the range of the histogram; undefined: the old price is 0. */
  label?: string;
  /** Of a change by more than half: the power of ten that it is, if any, and what orders such changes. */
  large?: { power?: number; size: number };
}

/** Compares prices one by one, exactly, and finds changes that look like a mistake. Its memory does not grow. */
export class PriceTally {
  private compared = 0;
  private fromZero = 0;
  private otherCurrency = 0;
  private large = 0;
  private readonly histogram = new Map(LABELS.map((label) => [label, 0]));
  private readonly powers = new Map<number, number>();
  /** The largest changes, the largest first. */
  private readonly largest: { size: number; change: PriceChange }[] = [];

  /** @param oldPrice a decimal as text with at most four decimals, spelled like `newPrice` @param place read if it is shown */
  add(oldPrice: string, newPrice: string, place: () => string): void {
    this.addCompared(comparePrices(oldPrice, newPrice), place);
  }

  /** Adds a comparison, which several tallies may share. @param place read if it is shown */
  addCompared({ label, large, old, new: newPrice }: ComparedPrice, place: () => string): void {
    if (label === undefined) return void this.fromZero++;
    this.count(label);
    if (!large) return;
    this.large++;
    const { power, size } = large;
    if (power) this.powers.set(power, (this.powers.get(power) ?? 0) + 1);
    this.keep(size, place, old, newPrice);
  }

  /** Adds a price whose currency changes: no number says how much, so it counts as a change by more than half. */
  addOtherCurrency(oldPrice: string, newPrice: string, place: () => string): void {
    this.compared++;
    this.otherCurrency++;
    this.large++;
    this.keep(0, place, oldPrice, newPrice);
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

  /** What looks like a mistake. @param what the prices, for example `stored prices` @returns undefined if nothing does */
  problem(what: string): string | undefined {
    const { compared, large, otherCurrency } = this;
    if (compared < FEWEST_COMPARED) return undefined;
    const all = BigInt(compared);
    const powers = [...this.powers].filter(([, count]) => BigInt(count) * ONE_IN_POWER > all);
    if (BigInt(large) * ONE_IN_LARGE <= all && !powers.length) return undefined;
    const percent = ((large / compared) * 100).toFixed(1);
    const how = otherCurrency ? 'by more than half or to another currency' : 'by more than half';
    const hints = powers.map(
      ([power, count]) =>
        `; ${count} are ${factor(power)} times the old price: check the decimal separator and the unit`,
    );
    const named = this.largest.map(({ change }) => `${change.place}: ${change.old} to ${change.new}`).join(', ');
    return `${large} of ${compared} ${what} would change ${how} (${percent} %), 5 % is the most${hints.join('')}; the largest changes: ${named}. If the new prices are right, pass --allow-price-changes`;
  }

  private count(label: string): void {
    this.compared++;
    this.histogram.set(label, this.histogram.get(label)! + 1);
  }

  /** @param size orders the changes and decides nothing */
  private keep(size: number, place: () => string, oldPrice: string, newPrice: string): void {
    const { largest } = this;
    if (largest.length === NAMED && largest.at(-1)!.size >= size) return;
    const behind = largest.findIndex((other) => other.size < size);
    const entry = { size, change: { place: place(), old: oldPrice, new: newPrice } };
    largest.splice(behind < 0 ? largest.length : behind, 0, entry);
    if (largest.length > NAMED) largest.pop();
  }
}

/** Compares two prices exactly. @param oldPrice a decimal as text with at most four decimals, spelled like `newPrice` */
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

/** A price in ten-thousandths. */
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
 * The power of ten other than 0 that makes the old price the new one, once rounded half up to as many decimals as the new
 * price has: 19.95 becomes 0.2 by the power -2. @returns undefined if none does
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

/** 10 to this power, as people write it: `100`, `0.01`. */
function factor(power: number): string {
  return power > 0 ? `1${'0'.repeat(power)}` : `0.${'0'.repeat(-power - 1)}1`;
}
