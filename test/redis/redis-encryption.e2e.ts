import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { RedisQuotaStorage } from '../../src/quota/redis-quota-storage.js';
import { type Certificate, makeCertificate } from '../support/certificate.js';
import { freePort } from '../support/free-port.mjs';
import { RedisServer } from '../support/redis-server.js';

const WINDOWS = [{ name: 'long', ttl: 60_000, limit: 8 }];

let server: RedisServer;
let url: string;
const certificates: Certificate[] = [];
afterEach(async () => {
  await server.remove();
  for (const certificate of certificates.splice(0)) certificate.remove();
});

async function start(name?: string): Promise<string> {
  const own = await makeCertificate(name);
  certificates.push(own);
  const port = await freePort();
  server = await RedisServer.create();
  await server.start({
    'tls-port': String(port),
    'tls-cert-file': own.certificate,
    'tls-key-file': own.key,
    'tls-ca-cert-file': own.certificate,
    'tls-auth-clients': 'no',
  });
  url = `rediss://localhost:${port}`;
  return readFileSync(own.certificate, 'utf8');
}

/** Counts one request. Returns the new count, or the reason why Redis could not count. */
async function hit(ca?: string): Promise<number | string> {
  const storage = new RedisQuotaStorage(url, 5000, ca);
  try {
    await storage.start();
    for (let attempt = 0; attempt < 40 && !(await isReady(storage)); attempt++) await sleep(50);
    return (await storage.hit('bucket', WINDOWS)).counts[0]!.hits;
  } catch (error) {
    return (error as Error).message;
  } finally {
    storage.close();
  }
}

const isReady = (storage: RedisQuotaStorage) =>
  storage.probe().then(
    () => true,
    () => false,
  );

test('only a client that trusts the certificate can count (decision 186)', async () => {
  const ca = await start();
  expect([await hit(ca), await hit(ca)]).toEqual([1, 2]);
  expect(await hit()).toEqual(expect.any(String));
  const other = await makeCertificate();
  certificates.push(other);
  expect(await hit(readFileSync(other.certificate, 'utf8'))).toEqual(expect.any(String));
});

test('the certificate must be for the host in REDIS_URL (decision 186)', async () => {
  expect(await hit(await start('redis.example'))).toEqual(expect.any(String));
});
