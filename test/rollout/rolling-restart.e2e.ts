import { setTimeout as sleep } from 'node:timers/promises';
import { ClientFleet } from '../support/client-fleet.js';
import { Endpoints } from '../support/endpoints.js';
import { addShopClients, digestOf, GIANTS, loadFleetCatalogue, QUOTAS, tokenFor } from '../support/fleet-catalogue.js';
import { call } from '../support/http-call.js';
import { IngressNginx } from '../support/ingress-nginx.js';
import { RedisServer } from '../support/redis-server.js';
import { type Replica, startReplicas, stopReplicas } from '../support/replicas.js';
import { shippedIngress, shippedPods, shippedSettings } from '../support/shipped.js';
import { TestDatabase } from '../support/test-service.js';
import { until } from '../support/until.js';

/** The program, which jest.config.mjs found. */
declare const NGINX: string;

const SLOW_SECONDS = 20;

let database: TestDatabase;
let redis: RedisServer;
let nginx: IngressNginx | undefined;
const replicas: Replica[] = [];

beforeAll(async () => {
  redis = await RedisServer.create();
  await redis.start();
  database = await TestDatabase.create();
  await loadFleetCatalogue(database);
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
  const drain = Number(shippedSettings().DRAIN_SECONDS);
  // As the test does it: one more first, and SIGTERM as soon as that is ready.
  expect([strategy.rollingUpdate, container.lifecycle]).toEqual([{ maxSurge: 1, maxUnavailable: 0 }, undefined]);

  const old = await startSome(2);
  await Promise.all(old.map(({ process }) => process.ready()));
  const urls = old.map(({ url }) => url);
  nginx = await IngressNginx.start(NGINX, shippedIngress().f5, urls);
  const endpoints = new Endpoints(nginx, container.readinessProbe!, old);
  const fleet = await fiftyClients(nginx.url);

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
  await sleep((drain + 1) * 1000);
  await fleet.stop();
  const ended = await Promise.all(ends);
  await endpoints.stop();

  // On a machine so slow that this fails, everything below says nothing about the service.
  for (const [index, replica] of old.entries())
    expect(endpoints.gone.get(replica)! - told[index]!).toBeLessThan(drain * 1000);
  expect(nginx.errors).toBe('');
  expect(fleet.failures).toEqual([]);
  const { calls } = nginx;
  expect(calls.filter(({ status }) => status !== 200 && status !== 304)).toEqual([]);
  // Nor did nginx have to send any to another replica, which it cannot do with a POST.
  expect(calls.filter(({ upstreamStatuses }) => upstreamStatuses.length > 1)).toEqual([]);
  for (const { code, seconds } of ended) {
    expect(code).toBe(0);
    expect(seconds).toBeLessThan(pod.terminationGracePeriodSeconds!);
    // It waited for downloads, too.
    expect(seconds).toBeGreaterThan(drain + 1);
  }
  // The test is none unless every kind of client was served, all replicas served, and the old ones while they drained.
  expect(Object.keys(fleet.times).toSorted()).toEqual(['conditional', 'data', 'slow', 'small', 'token']);
  const answeredBy = ({ url }: Replica, since: number) =>
    calls.filter(({ at, upstreams }) => at > since && upstreams[0] === new URL(url).host).length;
  for (const replica of replicas) expect(answeredBy(replica, 0)).toBeGreaterThan(0);
  for (const [index, replica] of old.entries()) expect(answeredBy(replica, told[index]!)).toBeGreaterThan(0);
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

async function fiftyClients(url: string): Promise<ClientFleet> {
  const fleet = new ClientFleet(url);
  await addShopClients(fleet, url, database, { small: 20, data: 8, conditional: 8, token: 8 });
  const tokens = await Promise.all(GIANTS.map((code) => tokenFor(code, url, database)));
  const slow = tokens.flatMap((token) => Array.from({ length: 3 }, () => ({ path: '/products', token })));
  const { bytes } = await call(url, slow[0]);
  fleet.reading('slow', slow, SLOW_SECONDS, bytes.length, digestOf(bytes));
  expect(fleet.size).toBe(50);
  return fleet;
}

/** Resolves when the replica has just begun an answer to somebody who reads slowly. */
async function sendingSlowly(fleet: ClientFleet, { url }: Replica): Promise<void> {
  const { host } = new URL(url);
  const begun = () =>
    [...fleet.open].some(({ upstream, since }) => upstream === host && performance.now() - since < 500);
  await until('a slow download of this replica', begun);
}

/** Ends a replica as Kubernetes does. */
async function endOf({ process }: Replica): Promise<{ code: number | null; seconds: number }> {
  const start = performance.now();
  return { code: await process.stop('SIGTERM'), seconds: (performance.now() - start) / 1000 };
}
