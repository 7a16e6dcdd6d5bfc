// Compares two series of measurements that were taken in pairs.
import { median } from '../report.mjs';

/** The lowest probability that an interval contains the true ratio, if there are at least five pairs. */
const CONFIDENCE = 0.9;
/** A ratio this close to 1 does not matter, however certain it is. */
const TOLERANCE = 0.03;

/**
 * @typedef {object} Series the measurements of a base and of this checkout, by round
 * @property {number[]} base
 * @property {number[]} now
 * @property {boolean} [coarse] one measurement has few units, for example ticks of CPU time, so only the sums are exact
 */

/**
 * @param {Series} series
 * @returns {{ base: number, now: number, ratio: number, interval: [number, number], verdict: 'better' | 'worse' | '' }
 *   | undefined} typical figures, the ratio now / base, and an interval that contains the true ratio in nine of ten
 *   comparisons; undefined if a figure is unknown, or if the base is 0. All figures are costs, so a lower ratio is better
 */
export function compareSeries({ base, now, coarse = false }) {
  const typical = coarse ? mean : median;
  const ratios = now.map((one, round) => one / base[round]);
  const figures = { base: typical(base), now: typical(now) };
  const ratio = coarse ? figures.now / figures.base : median(ratios);
  if (!Number.isFinite(ratio)) return undefined;
  const known = ratios.filter((one) => !Number.isNaN(one));
  return { ...figures, ratio, ...intervalOf(known) };
}

/**
 * The interval of a median: the sorted values without as many of the lowest and the highest ones as possible. The true
 * median is below or above all of the other values only if that few of a number of coins show heads.
 */
function intervalOf(values) {
  const confidence = (without) => 1 - 2 * probabilityOfHeads(without, values.length);
  let without = 0;
  while (confidence(without + 1) >= CONFIDENCE) without++;
  const sorted = values.toSorted((a, b) => a - b);
  const interval = [sorted[without], sorted.at(-1 - without)];
  return { interval, verdict: confidence(without) >= CONFIDENCE ? verdictOf(interval) : '' };
}

function verdictOf([least, most]) {
  if (least > 1 + TOLERANCE) return 'worse';
  return most < 1 - TOLERANCE ? 'better' : '';
}

/** The probability that at most `most` of `count` tosses of a coin show heads. */
function probabilityOfHeads(most, count) {
  let [ways, sum] = [1, 1];
  for (let heads = 1; heads <= most; heads++) {
    ways = (ways * (count - heads + 1)) / heads;
    sum += ways;
  }
  return sum / 2 ** count;
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
