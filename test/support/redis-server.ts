import { Redis, type RedisOptions } from 'ioredis';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.mjs';

/** The path of redis-server, set by jest.config.mjs. */
declare const REDIS_SERVER: string;

/**
 * A private Redis server of a test, on a fixed port, which the test may stop, pause and break. It stores nothing on
 * disk.
 */
export class RedisServer {
  private readonly folder = mkdtempSync(join(tmpdir(), 'customer-data-redis-'));
  private child?: ChildProcess;
  private password = '';
  private constructor(readonly port: number) {}

  /** Reserves a port. The server does not run yet. */
  static async create(): Promise<RedisServer> {
    return new RedisServer(await freePort());
  }

  get url(): string {
    return `redis://${this.password && `:${this.password}@`}127.0.0.1:${this.port}`;
  }

  /**
   * Starts the server. Resolves when it accepts commands.
   * @param more further settings of redis.conf
   */
  async start(more: Record<string, string> = {}): Promise<void> {
    const own = { port: this.port, bind: '127.0.0.1', save: '', appendonly: 'no', 'enable-debug-command': 'yes' };
    const settings = { ...own, ...more };
    this.password = more.requirepass ?? '';
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
    this.child = spawn(REDIS_SERVER, [...args, '--dir', this.folder], { stdio: 'ignore' });
    raisePriority(this.child.pid!);
    for (let attempt = 0; attempt < 200; attempt++) {
      if ((await this.run('PING').catch(() => '')) === 'PONG') return;
      await sleep(25);
    }
    throw new Error('redis-server did not start within 5 s');
  }

  /** Stops the server, orderly or with another signal. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (!child || child.exitCode !== null) return;
    child.kill('SIGCONT');
    child.kill(signal);
    await once(child, 'exit');
  }

  /** Suspends the server: connections stay open, but it does not respond. */
  pause(): void {
    this.child!.kill('SIGSTOP');
  }

  resume(): void {
    this.child!.kill('SIGCONT');
  }

  /** Runs one command on a separate connection. */
  run(command: string, ...args: (string | number)[]): Promise<unknown> {
    return runOn(this.url, command, ...args);
  }

  async remove(): Promise<void> {
    await this.stop('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Runs one command on the Redis at this URL or with these options, on a separate connection. */
export async function runOn(
  server: string | RedisOptions,
  command: string,
  ...args: (string | number)[]
): Promise<unknown> {
  const options = { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 };
  const redis = typeof server === 'string' ? new Redis(server, options) : new Redis({ ...server, ...options });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    return await redis.call(command, ...args);
  } finally {
    redis.disconnect();
  }
}

/**
 * Raises the priority of Redis if permitted. In production Redis has its own machine, so it must not be slow because
 * tests keep this one busy.
 */
function raisePriority(pid: number): void {
  try {
    setPriority(pid, -15);
  } catch {
    // Not allowed.
  }
}
