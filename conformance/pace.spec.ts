import type { ReceivedResponse } from './http.js';
import { Pace } from './pace.js';

const START = Date.UTC(2026, 3, 1, 12);

/** An answer whose window has so many requests left, and ends a second after it was sent, unless told otherwise. */
const response = (remaining: number, seconds = 1) =>
  ({
    headers: {
      date: new Date(START).toUTCString(),
      'x-rate-limit-limit': '1m',
      'x-rate-limit-remaining': String(remaining),
      'x-rate-limit-reset': new Date(START + seconds * 1000).toISOString(),
    },
  }) as unknown as ReceivedResponse;

let told: string[];
beforeEach(() => void (told = []));
const pace = (share: number) => new Pace('customer', share, (line) => told.push(line));

let begun: number;
beforeEach(() => void (begun = performance.now()));
/** Since the test began. A timer may be early by a fraction of a millisecond. */
const seconds = () => (performance.now() - begun + 1) / 1000;

test('what is left of the share goes out at once', async () => {
  const half = pace(0.5);
  half.learn(response(40));
  half.learn(response(21));
  await half.waitForRoom();
  expect(told).toEqual([]);
});

test('when the share is used, the next request waits for the next window', async () => {
  const half = pace(0.5);
  half.learn(response(40));
  half.learn(response(20));
  await half.waitForRoom();
  expect(seconds()).toBeGreaterThanOrEqual(1);
  expect(told).toEqual(['Waiting 1 s for the customer: its share of the 1m quota is used.']);
  // Of which it has its share again.
  half.learn(response(40, 60));
  await half.waitForRoom();
  expect(told).toHaveLength(1);
});

test('a refusal is waited for as long as it says', async () => {
  const refusal = { headers: { 'retry-after': '1' } } as unknown as ReceivedResponse;
  await pace(1).refused(refusal);
  expect(seconds()).toBeGreaterThanOrEqual(1);
  expect(told).toEqual(['Waiting 1 s for the customer: it was answered 429.']);
});

test('where no answer tells of a quota, requests keep to that of the contract', async () => {
  const untold = pace(1);
  untold.learn({ headers: {} } as unknown as ReceivedResponse);
  await untold.waitForRoom();
  expect(seconds()).toBeGreaterThanOrEqual(1);
});
