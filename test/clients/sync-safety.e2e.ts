import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, request, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type Certificate, makeCertificate } from '../support/certificate.js';
import { deltaSince } from '../support/change-oracle.js';
import { describeAsRoot } from '../support/describe-with.js';
import { importFiles } from '../support/import-files.js';
import { findProgram } from '../support/programs.mjs';
import { A, smallCatalogue } from '../support/small-catalogue.js';
import { type Result, type RunOptions, type SyncScript, SyncScripts } from '../support/sync-script.js';
import { TestService } from '../support/test-service.js';

/** With these, A has ten products, ten prices and ten stock entries. */
const FURTHER = ['K-1', 'K-2', 'K-3', 'K-4', 'K-5', 'K-6', 'K-7'];
const SKUS = ['A-ONLY', 'FIXED', 'SHARED', ...FURTHER];
const FILES = ['products', 'prices', 'stock'].flatMap((name) => [`${name}.ndjson`, `${name}.etag`]);
const productOf = (sku: string, status: string) => [sku, 'Zebra', ...Array<string>(21).fill(''), status];
const UNCHANGED = ['products: unchanged\n', 'prices: unchanged\n', 'stock: unchanged\n'] as const;

let service: TestService;
let key: string;
let scripts: SyncScripts;
beforeAll(async () => {
  service = await TestService.start();
  await service.database.load(smallCatalogue);
  await service.database.load(
    importFiles({
      'products.csv': FURTHER.map((sku) => productOf(sku, 'ACTIVE')),
      'prices.csv': FURTHER.map((sku) => ['LIST-A', sku, '1', '', '', 'true']),
      'stock.csv': ['FIXED', ...FURTHER].map((sku) => ['WH-A', sku, '1']),
    }),
  );
  key = await service.key(A);
  scripts = await SyncScripts.fast(service.url);
}, 120_000);
afterAll(async () => {
  scripts.close();
  await service.close();
});

const setStatus = (status: string, ...skus: string[]) =>
  service.database.load(importFiles({ 'products.csv': skus.map((sku) => productOf(sku, status)) }));

const stored = (one: SyncScript) => FILES.map((file) => one.storedFile(file));

/** Runs all scripts, and expects each to exit with this code and this message, and to keep its state. */
async function expectStop(code: number, message: string, stdout = '', options: RunOptions = {}): Promise<void> {
  const before = scripts.all.map(stored);
  const results = await scripts.each((one) => one.run(key, options));
  const stopped: Result = { code, stdout, stderr: expect.stringContaining(message) as unknown as string };
  expect(results).toEqual(scripts.everyOne(stopped));
  expect(scripts.all.map(stored)).toEqual(before);
}

const printed = (one: readonly string[]) => scripts.everyOne(one.join(''));

test('every script stores ten elements of each kind at first', async () => {
  const all = '10 new, 0 changed, 0 gone, 10 in all\n';
  const results = await scripts.each((one) => one.sync(key));
  expect(results).toEqual(printed([`products: ${all}`, `prices: ${all}`, `stock: ${all}`]));
}, 120_000);

describe('a new API profile', () => {
  afterEach(() => {
    for (const { proxy } of scripts.all) proxy.version = undefined;
  });

  test('stops a script with exit code 20 before it fetches data', async () => {
    for (const { proxy } of scripts.all) proxy.version = '{"apiVersion":"2027-01"}';
    await expectStop(20, 'The service has API profile 2027-01, but this script expects 2026-04. Read the changelog');
    for (const { proxy } of scripts.all) expect(proxy.responses).toEqual([]);
  }, 120_000);

  test('is not assumed if the response is not that of the service', async () => {
    for (const { proxy } of scripts.all) proxy.version = '<html>Maintenance</html>';
    const results = await scripts.each((one) => one.sync(key));
    for (const result of Object.values(results)) expect(result).toMatch(/^failed with (1|255), and printed nothing$/);
  }, 120_000);
});

const removal = (name: string, gone: number, all: number) =>
  `${name}: ${gone} of ${all} elements would disappear, so the stored data was kept. If they are really gone, run the`;

/** Changes the status of a product as another program would. The service does not notice, so its response is complete. */
const setSilently = (status: string, sku: string) =>
  service.database.sql(`UPDATE products SET Status = '${status}' WHERE SKU = '${sku}'`);

/** Whether the next response to the scripts is complete. */
async function isNextComplete(): Promise<boolean | undefined> {
  const etag = scripts.all[0]!.storedFile('products.etag');
  return (await deltaSince(service, '/products', await service.token(A), etag))?.complete;
}

describe('if a fifth of the elements would disappear', () => {
  const args = ['--allow-removals'];
  afterEach(() => {
    for (const { proxy } of scripts.all) proxy.isOlderRelease = false;
  });

  test('a script stops with exit code 21 until it gets --allow-removals (delta)', async () => {
    await setStatus('OBSOLETE', 'K-1', 'K-2');
    expect(await isNextComplete()).toBe(false);
    await expectStop(21, removal('products', 2, 10));
    const results = await scripts.each((one) => one.sync(key, { args }));
    const gone = '0 new, 0 changed, 2 gone, 8 in all';
    expect(results).toEqual(printed([`products: ${gone}\n`, `prices: ${gone}\n`, `stock: ${gone}\n`]));
    expect(await scripts.each((one) => one.sync(key))).toEqual(printed(UNCHANGED));
  }, 240_000);

  test('a script stops if the response is complete, or comes from an older release', async () => {
    await setSilently('OBSOLETE', 'K-3');
    await setSilently('OBSOLETE', 'K-4');
    expect(await isNextComplete()).toBe(true);
    await expectStop(21, removal('products', 2, 8));
    for (const { proxy } of scripts.all) proxy.isOlderRelease = true;
    await expectStop(21, removal('products', 2, 8));
    for (const { proxy } of scripts.all) proxy.isOlderRelease = false;
    await setSilently('ACTIVE', 'K-4');
    const gone = '0 new, 0 changed, 1 gone, 7 in all';
    const results = await scripts.each((one) => one.sync(key));
    expect(results).toEqual(printed([`products: ${gone}\n`, `prices: ${gone}\n`, `stock: ${gone}\n`]));
  }, 240_000);

  test('a script also stops for the stock', async () => {
    const rows = SKUS.filter((sku) => !['A-ONLY', 'FIXED'].includes(sku)).map((sku) => ['WH-A', sku, '1']);
    const files = importFiles({ 'stock.csv': [...rows, ['WH-A', 'B-ONLY', '6'], ['WH-A', 'OLD', '9']] });
    await service.database.load(files, '--replace', '--allow-removals');
    await expectStop(21, removal('stock', 2, 7), UNCHANGED[0] + UNCHANGED[1]);
    const results = await scripts.each((one) => one.sync(key, { args }));
    const stock = 'stock: 0 new, 1 changed, 2 gone, 5 in all\n';
    expect(results).toEqual(printed([UNCHANGED[0], UNCHANGED[1], stock]));
  }, 240_000);
});

/** Starts a server that passes each request on to the service. @returns its port */
async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

const passOn: RequestListener = (incoming, outgoing) => {
  const { method, url, headers } = incoming;
  const passed = request(service.url + url, { method, headers, agent: false }, (response) => {
    outgoing.writeHead(response.statusCode!, response.rawHeaders);
    response.pipe(outgoing);
  });
  incoming.pipe(passed);
};

describe.each(['/auth/token', '/api/version', '/products/changes'])('a redirect of %s', (path) => {
  let target: Server;
  let redirecting: Server;
  const reached: string[] = [];
  let url: string;
  beforeAll(async () => {
    target = createServer((incoming, outgoing) => {
      reached.push(`${incoming.method} ${incoming.url}`);
      passOn(incoming, outgoing);
    });
    const port = await listen(target);
    redirecting = createServer((incoming, outgoing) => {
      if (incoming.url !== path) return passOn(incoming, outgoing);
      outgoing.writeHead(307, { Location: `http://localhost:${port}${path}` }).end();
    });
    url = `http://127.0.0.1:${await listen(redirecting)}`;
  });
  afterAll(() => {
    for (const server of [target, redirecting]) server.close().closeAllConnections();
  });

  test('sends neither the key nor the token elsewhere', async () => {
    const results = await scripts.each((one) => one.sync(key, { url }));
    for (const [script, result] of Object.entries(results))
      expect([script, result]).toEqual([script, expect.stringMatching(/^failed with (1|255), and printed nothing$/)]);
    expect(reached).toEqual([]);
  }, 120_000);
});

describe('a certificate', () => {
  let certificate: Certificate;
  let server: Server;
  let url: string;
  let requests = 0;
  beforeAll(async () => {
    certificate = await makeCertificate('localhost');
    const [cert, secret] = [certificate.certificate, certificate.key].map((file) => readFileSync(file));
    server = createTlsServer({ cert, key: secret }, (incoming, outgoing) => {
      requests++;
      passOn(incoming, outgoing);
    });
    url = `https://localhost:${await listen(server)}`;
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
    certificate.remove();
  });

  test('that no known authority has signed is rejected', async () => {
    const results = await scripts.each((one) => one.sync(key, { url }));
    for (const [script, result] of Object.entries(results))
      expect([script, result]).toEqual([script, expect.stringMatching(/^failed with (1|255), and printed nothing$/)]);
    expect(requests).toBe(0);
  }, 240_000);

  test('is accepted with the setting that the page of each language names', async () => {
    const file = certificate.certificate;
    const store = `${file}.p12`;
    const options = ['-storetype', 'PKCS12', '-storepass', 'changeit'];
    if (findProgram('keytool'))
      execFileSync('keytool', ['-importcert', '-noprompt', '-file', file, '-keystore', store, ...options]);
    const settings: Record<string, RunOptions> = {
      'sync.sh': { environment: { CURL_CA_BUNDLE: file } },
      'sync.mjs': { environment: { NODE_EXTRA_CA_CERTS: file } },
      'Sync.java': {
        environment: {
          JDK_JAVA_OPTIONS: `-Djavax.net.ssl.trustStore=${store} -Djavax.net.ssl.trustStorePassword=changeit`,
        },
      },
    };
    const usual = { environment: { SSL_CERT_FILE: file } };
    const results = await scripts.each(async (one) => {
      // PHP reads its setting from php.ini, and Mono its certificates from a store of its own.
      if (['sync.php', 'Sync.cs'].includes(one.script)) return 'not tried';
      return one.sync(key, { url, ...(settings[one.script] ?? usual) });
    });
    for (const result of Object.values(results)) expect(['not tried', UNCHANGED.join('')]).toContain(result);
    expect(requests).toBeGreaterThan(0);
  }, 240_000);
});

/** Processes of two containers can have the same number. `unshare` gives each its own numbers, as a container does. */
const ISOLATED = ['unshare', '--pid', '--fork'];

describeAsRoot('pauses', () => {
  test('grow, and differ in equal containers (unchanged scripts)', async () => {
    const pairs = await Promise.all([1, 2].map(() => SyncScripts.asDocumented(service.url)));
    const [some, others] = await Promise.all(
      pairs.map((pair) =>
        pair.each(async (one) => {
          const faults = ['failure', 'failure', 'failure'] as const;
          const { code, stderr } = await one.run(key, { faults, under: ISOLATED });
          const retries = stderr.matchAll(/status 500; retrying in ([\d.]+) s/gi);
          return { code, pauses: [...retries].map(([, seconds]) => Number(seconds)), stderr };
        }),
      ),
    );
    for (const pair of pairs) pair.close();
    for (const [script, { code, pauses, stderr }] of [...Object.entries(some!), ...Object.entries(others!)]) {
      expect({ script, code, count: pauses.length, stderr }).toEqual({ script, code: 0, count: 3, stderr });
      for (const [index, pause] of pauses.entries()) {
        expect(pause).toBeGreaterThanOrEqual(2 ** index);
        expect(pause).toBeLessThanOrEqual(3 * 2 ** index);
      }
    }
    for (const [script, { pauses }] of Object.entries(some!))
      expect([script, others![script]!.pauses]).not.toEqual([script, pauses]);
  }, 240_000);
});
