import { Agent } from 'node:http';
import { type ReceivedResponse, call, type Call } from './http-call.js';
import { LIMITS, SECRET } from './quota-bench.js';
import { ServiceProcess } from './service-process.js';
import type { TestDatabase } from './test-service.js';

/** One of several replicas: the built service in a separate process. */
export interface Replica {
  readonly url: string;
  readonly managementUrl: string;
  readonly process: ServiceProcess;
}

/** Starts replicas on one database and one Redis. Resolves when all of them listen. */
export async function startReplicas(
  count: number,
  database: TestDatabase,
  environment: Record<string, string>,
): Promise<Replica[]> {
  const shared = { DATABASE_URL: database.url, DEMO_DATA: 'false', JWT_SECRET: SECRET, ...LIMITS, ...environment };
  const processes = Array.from({ length: count }, () => ServiceProcess.start(shared, database.folder));
  return Promise.all(processes.map(async (process) => ({ ...(await process.ports()), process })));
}

export async function stopReplicas(replicas: Replica[]): Promise<void> {
  await Promise.all(replicas.map(({ process }) => process.stop('SIGKILL')));
}

/**
 * How often each replica logged that it lost Redis and that Redis is back, and whether it logged a loss twice in a row.
 */
export function lossesOf(replicas: Replica[]): { lost: number; back: number; reportedTwice: boolean }[] {
  return replicas.map(({ process: { output } }) => ({
    lost: output.split('Redis is lost').length - 1,
    back: output.split('Redis is back').length - 1,
    reportedTwice: /Redis is lost(?:(?!Redis is back)[^])*Redis is lost/.test(output),
  }));
}

/** Sends requests simultaneously, each on its own connection, spread over the replicas. */
export function sendAtOnce(count: number, replicas: Replica[], request: Call): Promise<ReceivedResponse[]> {
  return Promise.all(
    Array.from({ length: count }, (_, index) => call(replicas[index % replicas.length]!.url, request)),
  );
}

/** Sends the requests over a number of connections. Each connection sends the next request after its response. */
export async function sendOver(connections: number, url: string, requests: Call[]): Promise<ReceivedResponse[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const responses = await Promise.all(requests.map((request) => call(url, { ...request, agent })));
  agent.destroy();
  return responses;
}

/** The number of responses with each status. */
export function statuses(responses: readonly ReceivedResponse[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
