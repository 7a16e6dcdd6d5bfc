// What slow clients cost a replica.
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '../fleet/customers.mjs';
import { metric } from '../metric.mjs';
import { cpuOf, peakOf, resetPeak } from '../process-usage.mjs';
import { startService } from '../running-service.mjs';

/** The default limit of downloads of one customer. */
const DOWNLOADS_EACH = 5;

/**
 * @returns while all clients read: the bytes in the spool, the database connections in use, the growth of the memory in
 * bytes, and the CPU seconds per client
 */
export async function measureSlowClients({ databaseUrl, crowd, clients, bytesPerSecond, seconds }) {
  const service = await startService(databaseUrl, { RESPONSE_CACHE_MEGABYTES: '0' });
  try {
    const url = `${service.url}/products`;
    const codes = Array.from({ length: Math.ceil(clients / DOWNLOADS_EACH) }, (_, number) => codeOf(number));
    const tokens = await Promise.all(codes.map((code) => service.token(code)));
    await crowd.ask('downloads', { url, headers: tokens[0], clients: 4, seconds: 2 });
    resetPeak(service.pid);
    await sleep(500);
    const [memory, cpu] = [peakOf(service.pid), cpuOf(service.pid)];
    const slow = Array.from({ length: clients }, (_, number) =>
      crowd.ask('get', { url, headers: tokens[number % tokens.length], bytesPerSecond, most: seconds }),
    );
    await sleep(seconds * 750);
    const found = {
      spool: await metric(service, 'spool_bytes'),
      connections: await metric(service, 'database_connections_in_use', 'download'),
      memory: peakOf(service.pid) - memory,
      cpu: (cpuOf(service.pid) - cpu) / clients,
    };
    await Promise.all(slow);
    return found;
  } finally {
    await service.stop();
  }
}
