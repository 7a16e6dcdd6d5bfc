import type { ReceivedResponse } from './http.js';
import { Pace } from './pace.js';

const START = Date.UTC(2026, 3, 1, 12);

/** A response whose window has `remaining` requests left and ends `seconds` after the response. */
const response = (remaining: number, seconds = 1) =>
  ({
    headers: {
      date: new Date(START).toUTCString(),
      'x-rate-limit-limit': '1m',
      'x-rate-limit-remaining': String(remaining),
      'x-rate-limit-reset': new Date(START + seconds * 1000).toISOString(),
    },
  }) as unknown as ReceivedResponse;

let logged: string[];
beforeEach(() => void (logged = []));
const pace = (share: number) => new Pace('customer', share, (line) => logged.push(line));

let startedAt: number;
beforeEach(() => void (startedAt = performance.now()));
/** Seconds since the test began. A timer may fire a fraction of a millisecond early. */
const seconds = () => (performance.now() - startedAt + 1) / 1000;

test('Pace sends requests at once while its share has requests left', async () => {
  const half = pace(0.5);
  half.learn(response(40));
  half.learn(response(21));
  await half.waitForRoom();
  expect(logged).toEqual([]);
});

test('Pace delays the next request to the next window when its share is used', async () => {
  const half = pace(0.5);
  half.learn(response(40));
  half.learn(response(20));
  await half.waitForRoom();
  expect(seconds()).toBeGreaterThanOrEqual(1);
  expect(logged).toEqual(['Waiting 1 s for the customer: the share of its 1m quota is used.']);
  // The new window has a new share.
  half.learn(response(40, 60));
  await half.waitForRoom();
  expect(logged).toHaveLength(1);
});

test('Pace waits for the Retry-After of a 429', async () => {
  const refusal = { headers: { 'retry-after': '1' } } as unknown as ReceivedResponse;
  await pace(1).refused(refusal);
  expect(seconds()).toBeGreaterThanOrEqual(1);
  expect(logged).toEqual(['Waiting 1 s for the customer: it received 429.']);
});

test('Pace keeps to the quota of the contract while no response shows one', async () => {
  const unknown = pace(1);
  unknown.learn({ headers: {} } as unknown as ReceivedResponse);
  await unknown.waitForRoom();
  expect(seconds()).toBeGreaterThanOrEqual(1);
});
