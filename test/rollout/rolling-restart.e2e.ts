import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClientFleet } from '../support/client-fleet.js';
import { Endpoints } from '../support/endpoints.js';
import { type Answer, call, type Call, tokenCall, tokenIn } from '../support/http-call.js';
import { importFiles } from '../support/import-files.js';
import { IngressNginx } from '../support/ingress-nginx.js';
import { RedisServer } from '../support/redis-server.js';
import { type Replica, startReplicas, stopReplicas } from '../support/replicas.js';
import { shippedIngress, shippedPods, shippedSettings } from '../support/shipped.js';
import { TestDatabase } from '../support/test-service.js';

/** The program, which jest.config.mjs found. */
declare const NGINX: string;

/** Quotas are counted as ever, and nobody reaches them. */
const QUOTAS = ['1000000', '1000000'] as const;
const SLOW_SECONDS = 20;
/** So many products of so many characters are far more than all the sockets on the way hold. */
const [PRODUCTS, CHARACTERS] = [1500, 20_000];

let database: TestDatabase;
let redis: RedisServer;
let nginx: IngressNginx | undefined;
const replicas: Replica[] = [];

beforeAll(async () => {
  redis = await RedisServer.create();
  await redis.start();
  database = await TestDatabase.create();
  const skus = Array.from({ length: PRODUCTS }, (_, index) => `P-${index}`);
  await database.load(
    importFiles({
      'price_lists.csv': [['ALL'], ['FEW']].map(([code]) => [code!, '', 'EUR']),
      'warehouses.csv': [['W']],
      'products.csv': skus.map((sku) => [sku, 'Name', 'x'.repeat(CHARACTERS)]),
      'prices.csv': [
        ...skus.map((sku) => ['ALL', sku, '10', '', '', 'true']),
        ...skus.slice(0, 10).map((sku) => ['FEW', sku, '10', '', '', 'true']),
      ],
      'stock.csv': skus.map((sku) => ['W', sku, '5']),
      'customers.csv': [
        ['SLOW-1', '', 'ALL', 'W', '0', ...QUOTAS],
        ['SLOW-2', '', 'ALL', 'W', '0', ...QUOTAS],
        ['SHOP', '', 'FEW', 'W', '0', ...QUOTAS],
      ],
    }),
  );
}, 120_000);

afterAll(async () => {
  await nginx?.stop();
  await stopReplicas(replicas);
  await redis.remove();
  await database.drop();
});

test('both nginx controllers are told the same', () => {
  const { community, f5 } = shippedIngress();
  expect(f5).toEqual(community);
  expect(Object.values(f5)).not.toContain(undefined);
});

test('both replicas are replaced under 50 clients, some in downloads of 20 s, and no request fails (decision 79)', async () => {
  const { strategy, pod, container } = shippedPods();
  const drain = Number(shippedSettings().DRAIN_SECONDS) * 1000;
  // As the test does it: one more first, and SIGTERM as soon as that is ready.
  expect([strategy.rollingUpdate, container.lifecycle]).toEqual([{ maxSurge: 1, maxUnavailable: 0 }, undefined]);

  const old = await startSome(2);
  await Promise.all(old.map(isReady));
  nginx = await IngressNginx.start(
    NGINX,
    shippedIngress().f5,
    old.map(({ url }) => url),
  );
  const endpoints = new Endpoints(nginx, container.readinessProbe!, old);
  const fleet = await clients(nginx.url);
  expect(fleet.size).toBe(50);

  const ends: Promise<{ code: number | null; seconds: number }>[] = [];
  const told: number[] = [];
  for (const replica of old) {
    const [next] = await startSome(1);
    await endpoints.add(next!);
    await sendingSlowly(fleet, replica);
    told.push(Date.now());
    ends.push(endOf(replica));
  }
  // From then on there is nothing but answers under way.
  await sleep(drain + 1000);
  await fleet.stop();
  const ended = await Promise.all(ends);
  await endpoints.stop();

  expect(fleet.failures).toEqual([]);
  expect(nginx.calls.filter(({ status }) => status !== 200 && status !== 304)).toEqual([]);
  // Nor did nginx have to send any to another replica, which it cannot do with a POST.
  expect(nginx.calls.filter(({ upstreamStatuses }) => upstreamStatuses.length > 1)).toEqual([]);
  for (const { code, seconds } of ended) {
    expect(code).toBe(0);
    expect(seconds).toBeLessThan(pod.terminationGracePeriodSeconds!);
    // It waited for downloads, too.
    expect(seconds).toBeGreaterThan(drain / 1000 + 1);
  }
  // The test is none unless every kind of client was served, all replicas served, and the old ones while they drained.
  expect(Object.keys(fleet.answered).toSorted()).toEqual(['conditional', 'data', 'slow', 'small', 'token']);
  for (const { url } of replicas) expect(callsTo(url, 0)).toBeGreaterThan(0);
  for (const [index, { url }] of old.entries()) expect(callsTo(url, told[index]!)).toBeGreaterThan(0);
}, 300_000);

async function startSome(count: number): Promise<Replica[]> {
  const [perMinute, perHour] = QUOTAS;
  const started = await startReplicas(count, database, {
    ...shippedSettings(),
    PORT: '0',
    MANAGEMENT_PORT: '0',
    REDIS_URL: redis.url,
    REQUESTS_PER_MINUTE: perMinute,
    REQUESTS_PER_HOUR: perHour,
  });
  replicas.push(...started);
  return started;
}

/** Fifty, of all kinds. */
async function clients(url: string): Promise<ClientFleet> {
  const fleet = new ClientFleet(url);
  const [token, ...slowTokens] = await Promise.all(
    ['SHOP', 'SLOW-1', 'SLOW-2'].map(async (code) => {
      const key = await database.cliOk('key', 'issue', code);
      return tokenIn(await call(url, tokenCall(code, key)));
    }),
  );
  const answering = async (calls: Call[]) => {
    const expected = new Set<string>();
    for (const one of calls) expected.add(describe(await call(url, one)));
    return (answer: Answer) => (expected.has(describe(answer)) ? undefined : describe(answer));
  };
  const small = ['/api/version', '/health', '/products/schema', '/stock/schema'].map((path) => ({ path, token }));
  fleet.polling('small', 20, small, await answering(small));

  const data = ['/products', '/stock', '/prices'].map((path) => ({ path, token }));
  fleet.polling('data', 8, data, await answering(data));

  const conditional = await Promise.all(
    data.map(async (one) => ({ ...one, headers: { 'If-None-Match': (await call(url, one)).headers.etag } })),
  );
  fleet.polling('conditional', 8, conditional, ({ status }) => (status === 304 ? undefined : `${status}`));

  // Once an hour, hence on a new connection, and nobody repeats a POST.
  const login = { ...tokenCall('SHOP', await database.cliOk('key', 'issue', 'SHOP')), agent: false };
  fleet.polling('token', 8, [login], (answer) => (tokenIn(answer) ? undefined : 'no token'));

  const slow = slowTokens.flatMap((one) => Array.from({ length: 3 }, () => ({ path: '/products', token: one })));
  const { bytes } = await call(url, slow[0]);
  fleet.reading('slow', slow, SLOW_SECONDS, bytes.length, digestOf(bytes));
  return fleet;
}

const describe = ({ status, bytes }: Answer) => `${status}, ${bytes.length} bytes, ${digestOf(bytes)}`;
const digestOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

async function isReady({ managementUrl }: Replica): Promise<void> {
  while ((await fetch(`${managementUrl}/readyz`)).status !== 200) await sleep(50);
}

/** Resolves when the replica has just begun an answer to somebody who reads slowly. */
async function sendingSlowly(fleet: ClientFleet, { url }: Replica): Promise<void> {
  const { host } = new URL(url);
  const begun = () =>
    [...fleet.open].some(({ upstream, since }) => upstream === host && performance.now() - since < 3000);
  while (!begun()) await sleep(50);
}

/** Ends a replica as Kubernetes does. */
async function endOf({ process }: Replica): Promise<{ code: number | null; seconds: number }> {
  const start = performance.now();
  return { code: await process.stop('SIGTERM'), seconds: (performance.now() - start) / 1000 };
}

/** How many calls this replica answered since then. */
function callsTo(url: string, since: number): number {
  return nginx!.calls.filter(({ at, upstreams }) => at > since && upstreams[0] === new URL(url).host).length;
}
