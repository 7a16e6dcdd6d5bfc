import { compareSeries } from './ratios.mjs';

const series = (...ratios) => ({ base: ratios.map(() => 10), now: ratios.map((ratio) => ratio * 10) });

test('the ratio is the median of the ratios of the pairs, so one slow round does not matter', () => {
  expect(compareSeries({ base: [10, 10, 40], now: [20, 20, 80] })).toMatchObject({ base: 10, now: 20, ratio: 2 });
  expect(compareSeries({ base: [10, 10, 10], now: [11, 900, 12] })).toMatchObject({ ratio: 1.2 });
});

test('the ratio of coarse figures is the ratio of their sums', () => {
  const ticks = { base: [0, 10, 20], now: [20, 10, 30], coarse: true };
  expect(compareSeries(ticks)).toMatchObject({ base: 10, now: 20, ratio: 2, interval: [1, Infinity] });
});

test('the interval leaves out extremes if the others still contain the median in nine of ten runs', () => {
  expect(compareSeries(series(1, 2, 3, 4, 5)).interval).toEqual([1, 5]);
  expect(compareSeries(series(9, 1, 2, 3, 4, 5, 6, 7, 8)).interval).toEqual([2, 8]);
});

test('the verdict needs five pairs and an interval that is more than 3 % away from 1', () => {
  expect(compareSeries(series(2, 2, 2, 2))).toMatchObject({ interval: [2, 2], verdict: '' });
  expect(compareSeries(series(1.02, 1.5, 1.5, 1.5, 1.5)).verdict).toBe('');
  expect(compareSeries(series(1.04, 1.5, 1.5, 1.5, 1.5)).verdict).toBe('worse');
  expect(compareSeries(series(0.96, 0.5, 0.5, 0.5, 0.5)).verdict).toBe('better');
});

test('an unknown figure, or a base of 0, has no ratio', () => {
  expect(compareSeries({ base: [NaN, NaN], now: [1, 1] })).toBeUndefined();
  expect(compareSeries({ base: [0, 0], now: [1, 1], coarse: true })).toBeUndefined();
});
