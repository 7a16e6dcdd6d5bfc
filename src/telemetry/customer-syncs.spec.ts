import { Registry } from 'prom-client';
import { CustomerSyncs, KEPT_SECONDS } from './customer-syncs.js';
import type { FinishedResponse } from './finished-response.js';

const START = 1_800_000_000;
const COMPLETE: FinishedResponse = {
  requestId: 'id',
  route: '/stock',
  method: 'GET',
  status: 200,
  seconds: 1,
  bytes: 1,
  ended: 'complete',
  customer: 'A',
};

function gauge() {
  const clock = { now: START };
  const registry = new Registry();
  const syncs = new CustomerSyncs(registry, () => clock.now);
  /** Returns the exposed times, relative to the start, by customer and resource. */
  const shown = async () => {
    const samples = [...(await registry.metrics()).matchAll(/^\w+\{customer="(.*)",resource="(.*)"\} (\S+)$/gm)];
    return Object.fromEntries(
      samples.map(([, customer, resource, time]) => [`${customer} ${resource}`, Number(time) - START]),
    );
  };
  return { clock, syncs, shown };
}

test('exposes the last complete response of each customer and resource', async () => {
  const { clock, syncs, shown } = gauge();
  syncs.record(COMPLETE);
  syncs.record({ ...COMPLETE, customer: 'B', route: '/products' });
  clock.now += 60;
  syncs.record({ ...COMPLETE, status: 304 });
  clock.now += 60;
  syncs.record({ ...COMPLETE, customer: 'B', route: '/products/changes' });
  syncs.record({ ...COMPLETE, customer: 'B', route: '/prices' });
  expect(await shown()).toEqual({ 'A stock': 60, 'B products': 120, 'B prices': 120 });
});

test.each<[string, Partial<FinishedResponse>]>([
  ['an aborted response', { ended: 'aborted' }],
  ['a response that its client left', { ended: 'left' }],
  ['a HEAD request', { method: 'HEAD' }],
  ['a refused request', { status: 429 }],
  ['an error', { status: 500 }],
  ['a schema', { route: '/stock/schema' }],
  ['a token', { route: '/auth/token', method: 'POST' }],
  ['a request without a valid token', { customer: undefined }],
])('does not count %s', async (_, difference) => {
  const { syncs, shown } = gauge();
  syncs.record({ ...COMPLETE, ...difference });
  expect(await shown()).toEqual({});
});

test('drops a customer after a week without a complete response', async () => {
  const { clock, syncs, shown } = gauge();
  for (const customer of ['A', 'B']) syncs.record({ ...COMPLETE, customer });
  clock.now += KEPT_SECONDS;
  syncs.record({ ...COMPLETE, customer: 'A' });
  expect(Object.keys(await shown())).toEqual(['B stock', 'A stock']);
  clock.now += 1;
  expect(Object.keys(await shown())).toEqual(['A stock']);
});
