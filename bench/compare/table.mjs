// The table of a comparison.
import { compareSeries } from './ratios.mjs';

const WIDTHS = [26, 19, 8, 8, 5, 11, 6];
const HEAD = ['What', 'Measured', 'Base', 'Now', 'Ratio', 'Interval', ''];

/**
 * A table of figures, with a legend.
 * @param {{ what: string, measured?: string, series?: import('./ratios.mjs').Series }[]} figures
 * @param {number} rounds
 */
export function comparisonTable(figures, rounds) {
  const lines = [HEAD, WIDTHS.map((width) => '-'.repeat(width)), ...figures.map(cellsOf)];
  return `${lines.map(lineOf).join('\n')}\n\n${legend(rounds)}`;
}

function cellsOf({ what, measured = '', series }) {
  if (!series) return [what, measured, 'not in base'];
  const found = compareSeries(series);
  if (!found) return [what, measured, 'unknown'];
  const { base, now, ratio, interval, verdict } = found;
  return [what, measured, short(base), short(now), fixed(ratio), interval.map(fixed).join('–'), verdict];
}

const lineOf = (cells) =>
  cells
    .map((cell, column) => cell.padEnd(WIDTHS[column]))
    .join('  ')
    .trimEnd();
const fixed = (ratio) => ratio.toFixed(2);
const short = (figure) => String(Number(figure.toPrecision(3)));

const legend = (
  rounds,
) => `Requests are of data set M. Ratio: now / base, the median of ${rounds} pairs. For CPU times, it is the ratio of their
sums. Interval: all ratios but the lowest and the highest ones. With five pairs or more, it contains the true ratio in nine of ten runs. The last column names
intervals that are more than 3 % away from 1. To see the noise of this machine, compare HEAD with HEAD.`;
