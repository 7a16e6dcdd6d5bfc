import { setTimeout as sleep } from 'node:timers/promises';
import { call } from './http-call.js';
import type { ServiceProcess } from './service-process.js';
import type { TestDatabase } from './test-service.js';

/** Node options of a service that collects its garbage on a signal (SIGUSR2). */
export const COLLECTING = ['--expose-gc', '--import', 'data:text/javascript,process.on("SIGUSR2", () => gc())'];
const COLLECTED_MS = 300;

/** The resources that a service holds, by name. */
export type Figures = Readonly<Record<string, number>>;

/**
 * Collects the service's garbage, then reads its resources from its metrics and its database. Connections to the
 * database stay open and are counted separately, so they are subtracted from open files and sockets.
 */
export async function figuresOf(
  service: ServiceProcess,
  managementUrl: string,
  database: TestDatabase,
): Promise<Figures> {
  // Objects that the first collection finds may have held memory outside the heap.
  for (let time = 0; time < 2; time++) {
    service.signal('SIGUSR2');
    await sleep(COLLECTED_MS);
  }
  const { body } = await call(managementUrl, { path: '/metrics' });
  const connections = await connectionsTo(database);
  const sum = (name: string) => samplesOf(body, name).reduce((total, [, value]) => total + value, 0);
  const resources = samplesOf(body, 'nodejs_active_resources').map(([type, count]): [string, number] => [
    `active ${type}`,
    type === 'TCPSocketWrap' ? count - connections.all : count,
  ]);
  return {
    'memory, MB': sum('process_resident_memory_bytes') / 1e6,
    'of that held by JavaScript, MB': (sum('nodejs_heap_size_used_bytes') + sum('nodejs_external_memory_bytes')) / 1e6,
    'open files': sum('process_open_fds') - connections.all,
    ...Object.fromEntries(resources),
    'active requests': sum('nodejs_active_requests_total'),
    'downloads active': sum('customer_data_downloads_active'),
    'downloads waiting': sum('customer_data_downloads_waiting'),
    'database connections': connections.all,
    'of these in a transaction': connections.inTransaction,
    'of these in use': sum('customer_data_database_connections_in_use'),
    'waiting for one': sum('customer_data_database_connections_waiting'),
  };
}

/** The connections of other clients to the database. */
async function connectionsTo(database: TestDatabase): Promise<{ all: number; inTransaction: number }> {
  const [row] = await database.sql(
    `SELECT COUNT(*) AS connections, COUNT(trx_id) AS transactions FROM information_schema.processlist
     LEFT JOIN information_schema.innodb_trx ON trx_mysql_thread_id = ID
     WHERE DB = DATABASE() AND ID <> CONNECTION_ID()`,
  );
  return { all: Number(row!.connections), inTransaction: Number(row!.transactions) };
}

/** The samples of a metric, each with the value of its only label. */
function samplesOf(text: string, name: string): [label: string, value: number][] {
  const lines = text.matchAll(new RegExp(`^${name}(?:{\\w+="(.*)"})? (\\S+)$`, 'gm'));
  return [...lines].map(([, label = '', value]) => [label, Number(value)]);
}

/** Formats figures as a table with one column each. */
export function figuresTable(columns: Readonly<Record<string, Figures>>): string {
  const names = Object.keys(Object.assign({}, ...Object.values(columns)) as Figures);
  const lines = names.map((name) =>
    line(
      name,
      Object.values(columns).map((column) => rounded(column[name])),
    ),
  );
  return `\nResources of the service\n${line('', Object.keys(columns))}${lines.join('')}`;
}

function line(name: string, cells: readonly string[]): string {
  return `  ${name.padEnd(32)}${cells.map((cell) => cell.padStart(10)).join('')}\n`;
}

function rounded(value: number | undefined): string {
  return value === undefined ? '-' : String(Math.round(value * 10) / 10);
}
