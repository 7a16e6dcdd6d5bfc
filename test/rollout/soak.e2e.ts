import { setTimeout as sleep } from 'node:timers/promises';
import { customerCalls, type Kind } from '../support/customer-calls.js';
import { CustomerLoad } from '../support/customer-load.js';
import { HostileClients, refusedCalls, STALL_SECONDS } from '../support/hostile-clients.js';
import { call, tokenIn } from '../support/http-call.js';
import { loadCustomers, type Logins } from '../support/outage-bench.js';
import { COLLECTING, type Figures, figuresOf, figuresTable } from '../support/process-figures.js';
import { ServiceProcess } from '../support/service-process.js';
import { START_OPTIONS } from '../support/start-options.js';
import { TestDatabase } from '../support/test-service.js';

/** The duration of the load in seconds, less than an hour. */
const SECONDS = Number(process.env.SOAK_SECONDS || 25);
/** Set by `npm run soak`, which applies as much load as the machine can take. */
const LONG = process.env.SOAK_SECONDS !== undefined;
const WARM_UP_SECONDS = Math.min(60, SECONDS / 2);
const PAUSE_MS = LONG ? 50 : 200;
/**
 * The time that the service needs to become idle after the load. In this time it detects stalls and clients that keep
 * their connection.
 */
const IDLE_MS = 5000;
/** The longest wait for idleness, for a busy machine. */
const PATIENCE_MS = 20_000;
/** The factor by which a figure may exceed its first value, because of normal fluctuation. */
const TOLERANCE: Figures = { 'memory, MB': 1.4, 'of that held by JavaScript, MB': 1.05 };

const SETTINGS = {
  DEMO_DATA: 'false',
  DATABASE_POOL_SIZE: '4',
  DOWNLOAD_POOL_SIZE: '16',
  DATABASE_WAIT_MS: '30000',
  DOWNLOAD_STALL_SECONDS: String(STALL_SECONDS),
  RESPONSE_CACHE_MEGABYTES: '4',
  REQUESTS_PER_MINUTE: '100000000',
  REQUESTS_PER_HOUR: '100000000',
};
/** The limits of an idle service, independent of the first figures. */
const IDLE: Figures = {
  'downloads active': 0,
  'downloads waiting': 0,
  'database connections': Number(SETTINGS.DATABASE_POOL_SIZE) + Number(SETTINGS.DOWNLOAD_POOL_SIZE),
  'of these in a transaction': 0,
  'of these in use': 0,
  'waiting for one': 0,
};

let database: TestDatabase;
let logins: Logins;
let service: ServiceProcess;
let ports: { url: string; managementUrl: string };
beforeAll(async () => {
  if (SECONDS >= 3600) throw new Error('SOAK_SECONDS must be less than 3600: tokens live for an hour');
  database = await TestDatabase.create();
  logins = await loadCustomers(database);
  const options = [...START_OPTIONS, ...COLLECTING];
  service = ServiceProcess.start({ ...SETTINGS, DATABASE_URL: database.url }, database.folder, { options });
  ports = await service.ready();
}, 120_000);
afterAll(async () => {
  await service?.stop('SIGKILL');
  await database?.drop();
});

test(
  'the service holds no more resources after a long load than at the beginning',
  async () => {
    await load(WARM_UP_SECONDS);
    await sleep(IDLE_MS);
    const start = await figures();
    const limits = { ...start, ...IDLE };
    const during = await load(SECONDS);
    await sleep(IDLE_MS);
    const end = await settled(limits);
    if (LONG || above(limits, end).length) process.stderr.write(figuresTable({ start, during, end }));
    expect(above(limits, end)).toEqual([]);
    // These figures must have risen, or there was no load. A download needs its connection for milliseconds, so one
    // sample can miss it.
    const loaded = ['open files', 'active TCPSocketWrap', 'responses of the whole load'];
    expect(above(limits, during)).toEqual(expect.arrayContaining(loaded));
    expect(service.output).not.toMatch(/Warning/);
  },
  SECONDS * 2000 + 120_000,
);

/**
 * Runs all kinds of clients for the given time.
 * @returns the figures in the middle of the load
 */
async function load(seconds: number): Promise<Figures> {
  const kinds: Kind[] = [];
  for (const login of logins.small) kinds.push(...(await customerCalls(ports, login)));
  const [large, small] = await Promise.all([logins.large, logins.small[0]!].map((login) => call(ports.url, login)));
  kinds.push(...(await refusedCalls(ports.url, tokenIn(small!))));
  const customers = new CustomerLoad(kinds, PAUSE_MS);
  const hostile = new HostileClients(ports.url, tokenIn(large!), tokenIn(small!), 2 * PAUSE_MS);
  await sleep((seconds * 1000) / 2);
  const during = await figures();
  await sleep((seconds * 1000) / 2);
  await Promise.all([customers.stop(), hostile.stop()]);
  const unusual = customers.samples.filter(({ kind, outcome }) => outcome !== String(kind.status));
  expect(unusual.map(({ kind, outcome }) => `${kind.name}: ${outcome}`)).toEqual([]);
  expect(hostile.outcomes).toEqual(hostile.expected);
  return { ...during, 'responses of the whole load': customers.samples.length };
}

const figures = () => figuresOf(service, ports.managementUrl, database);

/**
 * Waits until all figures are within their limits, or `PATIENCE_MS` has passed.
 * @returns the last figures
 */
async function settled(limits: Figures): Promise<Figures> {
  for (const deadline = performance.now() + PATIENCE_MS; ; await sleep(1000)) {
    const now = await figures();
    if (!above(limits, now).length || performance.now() > deadline) return now;
  }
}

/** The names of the figures above their limits. A figure without a limit must be 0. */
function above(limits: Figures, now: Figures): string[] {
  return Object.keys(now).filter((name) => now[name]! > (limits[name] ?? 0) * (TOLERANCE[name] ?? 1));
}
