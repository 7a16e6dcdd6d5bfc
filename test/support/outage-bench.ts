import { customerCalls, type Kind, learn, outcomeOf } from './customer-calls.js';
import { CustomerLoad } from './customer-load.js';
import { type ReceivedResponse, call, type Call, tokenCall, tokenIn } from './http-call.js';
import { importFiles } from './import-files.js';
import { ServiceProcess } from './service-process.js';
import type { TestDatabase } from './test-service.js';
import { loadVersion, SlowDownload } from './versioned-catalogue.js';

/** Whether to test longer outages, under more load, with the default settings of the service. */
export const LONG = process.env.CHAOS === 'long';
/** The value of DATABASE_WAIT_MS. */
export const WAIT_MS = LONG ? 5000 : 2000;
/** The value of DOWNLOAD_STALL_SECONDS, in milliseconds. */
export const STALL_MS = LONG ? 7000 : 2000;
/** The duration in milliseconds of an outage during which no request has to wait. */
export const OUTAGE_MS = LONG ? 15_000 : 2000;
const PAUSE_MS = LONG ? 20 : 50;
const CUSTOMERS = LONG ? ['D', 'E', 'F', 'G'] : ['D', 'E'];
/** The name of the request whose response is open when an outage begins. */
export const OPEN_DOWNLOAD = 'GET /products, open before';

/** The token requests of the customers. */
export interface Logins {
  large: Call;
  small: Call[];
}

/** Loads a catalogue. Its `/products` response has 13 MB for one customer, and a tenth of that for the others. */
export async function loadCustomers(database: TestDatabase): Promise<Logins> {
  await loadVersion(database, 1);
  const some = Array.from({ length: 100 }, (_, index) => `P-${String(index * 10).padStart(5, '0')}`);
  const files = importFiles({
    'price_lists.csv': [['SHORT', 'Short', 'EUR']],
    'prices.csv': some.map((sku) => ['SHORT', sku, '1', '1', '1', 'true']),
    'customers.csv': CUSTOMERS.map((code) => [code, '', 'SHORT', 'W', '0']),
  });
  await database.load(files);
  const login = async (code: string) => tokenCall(code, await database.cliOk('key', 'issue', code));
  const small: Call[] = [];
  for (const customer of CUSTOMERS) small.push(await login(customer));
  return { large: await login('C'), small };
}

/** A running service under continuous load from its customers. */
export class OutageBench {
  private constructor(
    readonly load: CustomerLoad,
    private readonly service: ServiceProcess,
    readonly url: string,
    readonly managementUrl: string,
    private readonly large: Kind,
  ) {}

  /** @param environment the settings of the service, with the URLs of proxies before its servers */
  static async start(
    { folder }: TestDatabase,
    environment: Record<string, string>,
    { large, small }: Logins,
  ): Promise<OutageBench> {
    const settings = {
      DATABASE_WAIT_MS: String(WAIT_MS),
      DOWNLOAD_STALL_SECONDS: String(STALL_MS / 1000),
      DOWNLOAD_POOL_SIZE: String(4 * CUSTOMERS.length + 1),
      // Without the cache, each response during an outage comes from the database or fails.
      RESPONSE_CACHE_MEGABYTES: '0',
      SPOOL_MEGABYTES: '0',
      REQUESTS_PER_MINUTE: '1000000',
      REQUESTS_PER_HOUR: '1000000',
    };
    const service = ServiceProcess.start({ ...settings, ...environment }, folder);
    const ports = await service.ready();
    const token = tokenIn(await call(ports.url, large));
    const download = await learn(OPEN_DOWNLOAD, 'download', ports.url, { path: '/products', token });
    const kinds: Kind[] = [];
    for (const login of small) kinds.push(...(await customerCalls(ports, login)));
    return new OutageBench(new CustomerLoad(kinds, PAUSE_MS), service, ports.url, ports.managementUrl, download);
  }

  /**
   * Starts a download that cannot end before its client continues to read.
   * @returns a function that reads the rest, and resolves when the download has ended
   */
  async beginDownload(): Promise<() => Promise<void>> {
    const { load, large: kind } = this;
    const download = await SlowDownload.begin(this.url, kind.call.path!, kind.call.token!);
    return async () => {
      const startedAt = performance.now();
      const body = await download.finish();
      const response = { status: download.status, bytes: Buffer.from(body ?? '') } as ReceivedResponse;
      const outcome = body === undefined ? 'aborted' : outcomeOf(kind, response);
      load.samples.push({ kind, startedAt, endedAt: performance.now(), outcome });
    };
  }

  /** The output of the service. */
  get log(): string {
    return this.service.output;
  }

  async stop(): Promise<void> {
    await this.load.stop();
    await this.service.stop('SIGKILL');
  }
}
