import { judge, type LimitedWindow } from './verdict.js';

const NOW = Date.UTC(2026, 3, 1, 12);
const WINDOWS: LimitedWindow[] = [
  { name: '1m', ttl: 60_000, limit: 60 },
  { name: '1h', ttl: 3_600_000, limit: 1000 },
];

/** The hits of a window, including this request, and the milliseconds until its end. */
type State = readonly [hits: number, left: number];

function verdictOn(minute: State, hour: State, windows = WINDOWS) {
  const counts = [minute, hour].map(([hits, left]) => ({ hits, endsAt: NOW + left }));
  const { admitted, window, remaining, endsAt, retryAfter } = judge(windows, { now: NOW, counts });
  return [admitted, window.name, remaining, endsAt - NOW, retryAfter];
}

test.each<[string, State, State, unknown[]]>([
  ['the first request', [1, 60_000], [1, 3_600_000], [true, '1m', 59, 60_000, 60]],
  ['the last request of the minute', [60, 5000], [60, 3_000_000], [true, '1m', 0, 5000, 5]],
  ['the last request of the hour', [1, 60_000], [1000, 5000], [true, '1h', 0, 5000, 5]],
  ['the last request of both windows, with the shorter one', [60, 1000], [1000, 2000], [true, '1m', 0, 1000, 1]],
  ['a request with fewer left in the hour', [10, 50_000], [951, 9000], [true, '1h', 49, 9000, 9]],
  ['a request with one fewer left in the minute', [11, 50_000], [950, 9000], [true, '1m', 49, 50_000, 50]],
  [
    'a request with as many left in both, with the shorter one, although it ends last',
    [10, 50_000],
    [950, 9000],
    [true, '1m', 50, 50_000, 50],
  ],
])('describes the window with the fewest requests left for %s (decision 25)', (_name, minute, hour, expected) => {
  expect(verdictOn(minute, hour)).toEqual(expected);
});

test.each<[string, State, State, unknown[]]>([
  ['the minute is exhausted and the hour is not', [61, 30_000], [61, 3_570_000], [false, '1m', 0, 30_000, 30]],
  ['the hour is exhausted and the minute is not', [5, 40_000], [1001, 20_000], [false, '1h', 0, 20_000, 20]],
  ['both are exhausted and the hour ends last', [61, 30_000], [1001, 90_000], [false, '1h', 0, 90_000, 90]],
  ['both are exhausted and the minute ends last', [61, 30_000], [1001, 20_000], [false, '1m', 0, 30_000, 30]],
  // Only one window refuses the request. If the client waited only for this window, the other window would refuse the
  // next request.
  [
    'the minute is exhausted and the hour has none left for the next',
    [61, 30_000],
    [1000, 90_000],
    [false, '1h', 0, 90_000, 90],
  ],
  [
    'the hour is exhausted and the minute has none left for the next',
    [60, 30_000],
    [1001, 20_000],
    [false, '1m', 0, 30_000, 30],
  ],
  ['the minute is exhausted and the hour has one left', [61, 30_000], [999, 90_000], [false, '1m', 0, 30_000, 30]],
])('names the window to wait for if %s (decision 24)', (_name, minute, hour, expected) => {
  expect(verdictOn(minute, hour)).toEqual(expected);
});

test.each([
  [1, 1],
  [999, 1],
  [1000, 1],
  [1001, 2],
  [29_999, 30],
  [30_000, 30],
  [30_001, 31],
])(
  'rounds %i ms until the end of the window up to a Retry-After of %i s, at least 1 (decision 24)',
  (left, seconds) => {
    expect(verdictOn([61, left], [61, 3_000_000])).toEqual([false, '1m', 0, left, seconds]);
  },
);

test("applies a customer's own limits (decision 26)", () => {
  const own = WINDOWS.map((window, index) => ({ ...window, limit: [3, 5][index]! }));
  expect(verdictOn([3, 1000], [3, 9000], own)).toEqual([true, '1m', 0, 1000, 1]);
  expect(verdictOn([4, 1000], [4, 9000], own)).toEqual([false, '1m', 0, 1000, 1]);
  expect(verdictOn([1, 1000], [6, 9000], own)).toEqual([false, '1h', 0, 9000, 9]);
});
