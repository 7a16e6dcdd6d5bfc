import { Redis } from 'ioredis';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.mjs';

/** The program, which jest.config.mjs found. */
declare const REDIS_SERVER: string;

/** A Redis of a test's own, on a port that stays the same, which the test may stop, pause and break. It keeps nothing. */
export class RedisServer {
  private readonly folder = mkdtempSync(join(tmpdir(), 'customer-data-redis-'));
  private child?: ChildProcess;
  private constructor(private readonly port: number) {}

  /** One that is reserved, and not running yet. */
  static async create(): Promise<RedisServer> {
    return new RedisServer(await freePort());
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts the server; resolves when it answers. @param more settings of redis.conf */
  async start(more: Record<string, string> = {}): Promise<void> {
    const own = { port: this.port, bind: '127.0.0.1', save: '', appendonly: 'no', 'enable-debug-command': 'yes' };
    const settings = { ...own, ...more };
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
    this.child = spawn(REDIS_SERVER, [...args, '--dir', this.folder], { stdio: 'ignore' });
    hurry(this.child.pid!);
    for (let attempt = 0; attempt < 200; attempt++) {
      if ((await this.run('PING').catch(() => '')) === 'PONG') return;
      await sleep(25);
    }
    throw new Error('redis-server did not start within 5 s');
  }

  /** Lets it end by itself, or kills it. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (!child || child.exitCode !== null) return;
    child.kill('SIGCONT');
    child.kill(signal);
    await once(child, 'exit');
  }

  /** It stays connected and answers nothing. */
  pause(): void {
    this.child!.kill('SIGSTOP');
  }

  resume(): void {
    this.child!.kill('SIGCONT');
  }

  /** Runs one command on a connection of its own. */
  run(command: string, ...args: (string | number)[]): Promise<unknown> {
    return runOn(this.url, command, ...args);
  }

  async remove(): Promise<void> {
    await this.stop('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Runs one command on the Redis at this address, on a connection of its own. */
export async function runOn(url: string, command: string, ...args: (string | number)[]): Promise<unknown> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    return await redis.call(command, ...args);
  } finally {
    redis.disconnect();
  }
}

/** Where that is allowed: Redis has a machine of its own, and is not slow since this one is busy with tests. */
function hurry(pid: number): void {
  try {
    setPriority(pid, -15);
  } catch {
    // Not allowed.
  }
}
