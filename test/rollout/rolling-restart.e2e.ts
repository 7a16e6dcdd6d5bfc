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

/** The path of nginx, set by jest.config.mjs. */
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

test('the annotations configure both nginx controllers alike', () => {
  const { community, f5 } = shippedIngress();
  expect(f5).toEqual(community);
  expect(Object.values(f5)).not.toContain(undefined);
});

test('a rolling restart of both replicas with 50 clients, some in downloads of 20 s, fails no request (decision 79)', async () => {
  const { strategy, pod, container } = shippedPods();
  const drain = Number(shippedSettings().DRAIN_SECONDS);
  // The test restarts in the same way: it starts a new replica, and sends SIGTERM to the old one when the new one is
  // ready.
  expect([strategy.rollingUpdate, container.lifecycle]).toEqual([{ maxSurge: 1, maxUnavailable: 0 }, undefined]);

  const old = await startSome(2);
  await Promise.all(old.map(({ process }) => process.ready()));
  const urls = old.map(({ url }) => url);
  nginx = await IngressNginx.start(NGINX, shippedIngress().f5, urls);
  const endpoints = new Endpoints(nginx, container.readinessProbe!, old);
  const fleet = await fiftyClients(nginx.url);

  const ends: Promise<{ code: number | null; seconds: number }>[] = [];
  const signalledAt: number[] = [];
  for (const replica of old) {
    const [next] = await startSome(1);
    await endpoints.add(next!);
    await sendingSlowly(fleet, replica, drain);
    signalledAt.push(Date.now());
    ends.push(terminate(replica));
  }
  // After the drain time, the old replicas only finish open responses.
  await sleep((drain + 1) * 1000);
  await fleet.stop();
  const ended = await Promise.all(ends);
  await endpoints.stop();

  // If this fails, the machine is too slow, and the following checks are meaningless.
  for (const [index, replica] of old.entries())
    expect(endpoints.removedAt.get(replica)! - signalledAt[index]!).toBeLessThan(drain * 1000);
  expect(nginx.errors).toBe('');
  expect(fleet.failures).toEqual([]);
  const { calls: requests } = nginx;
  expect(requests.filter(({ status }) => status !== 200 && status !== 304)).toEqual([]);
  // nginx did not have to retry any request on another replica. nginx cannot retry a POST.
  expect(requests.filter(({ upstreamStatuses }) => upstreamStatuses.length > 1)).toEqual([]);
  for (const { code, seconds } of ended) {
    expect(code).toBe(0);
    expect(seconds).toBeLessThan(pod.terminationGracePeriodSeconds!);
    // The replica also waited for its downloads.
    expect(seconds).toBeGreaterThan(drain + 1);
  }
  // The test is meaningful only if every kind of client and every replica was used. The old replicas must also have
  // been used during their drain.
  expect(Object.keys(fleet.times).toSorted()).toEqual(['conditional', 'data', 'slow', 'small', 'token']);
  const responsesOf = ({ url }: Replica, since: number) =>
    requests.filter(({ at, upstreams }) => at > since && upstreams[0] === new URL(url).host).length;
  for (const replica of replicas) expect(responsesOf(replica, 0)).toBeGreaterThan(0);
  for (const [index, replica] of old.entries()) expect(responsesOf(replica, signalledAt[index]!)).toBeGreaterThan(0);
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

/** Resolves when the replica is sending a response to a slow client that takes longer than the drain. */
async function sendingSlowly(fleet: ClientFleet, { url }: Replica, drain: number): Promise<void> {
  const { host } = new URL(url);
  // Sockets buffer up to a third of a response. Until the replica has sent the rest, 2 s must remain after the drain.
  const longest = ((SLOW_SECONDS * 2) / 3 - drain - 2) * 1000;
  const outlastsDrain = () =>
    [...fleet.open].some(({ upstream, since }) => upstream === host && performance.now() - since < longest);
  // A slow download begins every 3 s, and nginx chooses its replica.
  await until('a slow download of this replica', outlastsDrain, { patienceMs: 120_000 });
}

/**
 * Stops a replica as Kubernetes does.
 * @returns its exit code, and the time from SIGTERM to exit
 */
async function terminate({ process }: Replica): Promise<{ code: number | null; seconds: number }> {
  const start = performance.now();
  return { code: await process.stop('SIGTERM'), seconds: (performance.now() - start) / 1000 };
}
