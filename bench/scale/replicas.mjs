// What each further replica of the service costs: idle, and per request with shared quotas.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../test/support/free-port.mjs';
import { findProgram } from '../../test/support/programs.mjs';
import { killAtExit } from '../at-exit.mjs';
import { cpuOf } from '../process-usage.mjs';
import { startService } from '../running-service.mjs';
import { sample } from '../sample.mjs';

/**
 * Measures a 304 of several replicas in turn, and then their idle load.
 * @returns for each setup: the CPU seconds of service, database and Redis per request, and the idle CPU seconds per second
 * of all replicas together and of the database
 */
export async function measureReplicas({ url, client, databasePid, count, idleSeconds }) {
  const alone = await measure(1, {}, { url, client, databasePid, count, idleSeconds });
  const program = findProgram('redis-server');
  if (!program) return { '1 replica, quotas in memory': alone };
  const redis = await startRedis(program);
  const shared = { url, client, databasePid, count, idleSeconds, redisPid: redis.pid };
  try {
    return {
      '1 replica, quotas in memory': alone,
      '1 replica, quotas in Redis': await measure(1, { REDIS_URL: redis.url }, shared),
      '3 replicas, quotas in Redis': await measure(3, { REDIS_URL: redis.url }, shared),
    };
  } finally {
    await redis.stop();
  }
}

async function measure(replicaCount, settings, { url, client, databasePid, redisPid, count, idleSeconds }) {
  const replicas = [];
  try {
    while (replicas.length < replicaCount) replicas.push(await startService(url, settings));
    // Tokens are valid on each replica, and so are ETags.
    const headers = await replicas[0].token('BENCH-A');
    const { etag } = await sample(client, databasePid, {
      url: `${replicas[0].url}/stock`,
      pid: replicas[0].pid,
      headers,
    });
    const call = { headers: { ...headers, 'if-none-match': etag }, status: 304 };
    const round = async (times) => {
      const samples = [];
      for (const { url: base, pid } of replicas)
        samples.push(await sample(client, databasePid, { ...call, url: `${base}/stock`, pid, count: times }));
      return samples;
    };
    await round(20);
    const redisBefore = cpuOf(redisPid);
    const samples = await round(count);
    const requests = count * replicas.length;
    const redisCpu = redisPid && (cpuOf(redisPid) - redisBefore) / requests;
    const mean = (key) => samples.reduce((sum, one) => sum + one[key], 0) / samples.length;
    const pids = [...replicas.map(({ pid }) => pid), databasePid];
    const before = pids.map(cpuOf);
    await sleep(idleSeconds * 1000);
    const idle = pids.map((pid, index) => (cpuOf(pid) - before[index]) / idleSeconds);
    const idleDatabase = idle.pop();
    const idleService = idle.reduce((sum, one) => sum + one, 0);
    return { cpu: mean('cpu'), databaseCpu: mean('databaseCpu'), redisCpu, idleService, idleDatabase };
  } finally {
    for (const replica of replicas) await replica.stop();
  }
}

async function startRedis(program) {
  const port = await freePort();
  const child = killAtExit(
    spawn(program, ['--port', String(port), '--save', '', '--bind', '127.0.0.1'], { stdio: 'pipe' }),
  );
  for await (const piece of child.stdout) if (/Ready to accept connections/.test(piece)) break;
  const stop = () => {
    child.kill();
    return once(child, 'exit');
  };
  return { url: `redis://127.0.0.1:${port}`, pid: child.pid, stop };
}
