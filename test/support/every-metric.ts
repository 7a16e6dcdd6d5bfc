import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { DATA } from './data-endpoints.js';
import { call, tokenCall, tokenIn } from './http-call.js';
import { importFiles } from './import-files.js';
import { type Series, samplesIn } from './promql.js';
import { ServiceProcess } from './service-process.js';
import { A, smallCatalogue } from './small-catalogue.js';
import { TestDatabase } from './test-service.js';

const NOWHERE = {
  DATABASE_URL: 'mysql://root@127.0.0.1:1/none',
  DATABASE_REPLICA_URLS: 'mysql://root@127.0.0.1:1/none',
  REDIS_URL: 'redis://127.0.0.1:1',
};

/** Returns all metrics after every counted event has occurred, in a working process and in one without its servers. */
export async function scrapeEverything(): Promise<Series[]> {
  const database = await TestDatabase.create();
  const common = { DEMO_DATA: 'false', REQUESTS_PER_MINUTE: '4', METRICS_BY_CUSTOMER: 'true' };
  const processes = [
    ServiceProcess.start({ ...common, DATABASE_URL: database.url }, database.folder),
    // Nothing listens at these addresses.
    ServiceProcess.start({ ...common, ...NOWHERE }, database.folder),
  ];
  try {
    const [working, broken] = await Promise.all(processes.map((process) => process.ports()));
    await database.load(smallCatalogue);
    await database.cli('import', await database.files(importFiles({ 'warehouses.csv': [['']] })));
    const soon = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
    await requestAll(working!.url, await database.cliOk('key', 'issue', A, '--expires', soon));
    await disconnectEarly(working!);
    await call(broken!.url, { path: '/health' });
    await call(broken!.url, tokenCall(A, 'no-key'));
    const texts = await Promise.all([working!, broken!].map(scrape));
    return texts.flatMap(samplesIn);
  } finally {
    await Promise.all(processes.map((process) => process.stop('SIGKILL')));
    await database.drop();
  }
}

interface Ports {
  url: string;
  managementUrl: string;
}

const scrape = async ({ managementUrl }: Ports) => (await fetch(`${managementUrl}/metrics`)).text();

/** Requests each path, and exceeds the anonymous quota. */
async function requestAll(url: string, key: string): Promise<void> {
  const token = tokenIn(await call(url, tokenCall(A, key)));
  for (const path of DATA) {
    const { headers } = await call(url, { path, token });
    await call(url, { path, token, headers: { 'If-None-Match': headers.etag } });
  }
  for (let request = 0; request < 5; request++) await call(url, { path: '/nowhere' });
}

/** Disconnects before the response, and repeats this until the service has counted an aborted response. */
async function disconnectEarly(service: Ports): Promise<void> {
  const { hostname, port } = new URL(service.url);
  for (let attempt = 0; attempt < 100; attempt++) {
    const socket = connect(Number(port), hostname);
    // Responses on one connection wait for each other, so some are open when the client disconnects.
    socket.write('GET /products HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(50), () => socket.resetAndDestroy());
    await sleep(50);
    if (/responses_aborted_total\{route="\/products"/.test(await scrape(service))) return;
  }
  throw new Error('Each response was complete before its client disconnected');
}
