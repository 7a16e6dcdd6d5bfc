import type { RedisOptions } from 'ioredis';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Certificate } from './certificate.js';
import { freePort } from './free-port.mjs';
import { RedisServer, runOn } from './redis-server.js';
import { until } from './until.js';

/** The path of redis-server, set by jest.config.mjs. */
declare const REDIS_SERVER: string;

const MASTER = 'counts';
const PASSWORD = 'password-of-redis';
const SENTINEL_PASSWORD = 'password+of/sentinels';

/** A master, two replicas, and three Sentinels of which two decide on a failover. All of them need passwords. */
export class RedisSentinels {
  private readonly folder = mkdtempSync(join(tmpdir(), 'customer-data-sentinels-'));
  private readonly children: ChildProcess[] = [];
  private readonly tlsPorts = new Map<RedisServer, number>();
  private constructor(
    readonly servers: readonly RedisServer[],
    private readonly sentinelPorts: readonly number[],
    private readonly certificate?: Certificate,
  ) {}

  /** @param certificate encrypts the connections to servers and Sentinels, and among them */
  static async start(certificate?: Certificate): Promise<RedisSentinels> {
    const servers = await Promise.all([1, 2, 3].map(() => RedisServer.create()));
    const ports = await Promise.all([1, 2, 3].map(() => freePort()));
    const group = new RedisSentinels(servers, ports, certificate);
    const masterPort = await group.startServer(servers[0]!);
    for (const replica of servers.slice(1)) await group.startServer(replica, { replicaof: `localhost ${masterPort}` });
    for (const port of ports) group.startSentinel(port, masterPort);
    await until('the Sentinels know each other and the replica', async () => {
      const states = await Promise.all(ports.map((port) => group.askSentinel(port, 'MASTER', MASTER)));
      return states.every((state) => state['num-slaves'] === '2' && state['num-other-sentinels'] === '2');
    });
    return group;
  }

  /** The URL of the service. */
  get url(): string {
    return this.urlWith({});
  }

  /** The URL of the service with other parts. */
  urlWith({ sentinelUsername = 'default', sentinelPassword = SENTINEL_PASSWORD, master = MASTER }): string {
    const hosts = this.sentinelPorts.map((port) => `localhost:${port}`).join();
    const scheme = this.certificate ? 'rediss+sentinel' : 'redis+sentinel';
    const query = `sentinel_username=${sentinelUsername}&sentinel_password=${encodeURIComponent(sentinelPassword)}`;
    return `${scheme}://:${PASSWORD}@${hosts}/${master}/0?${query}`;
  }

  /** The URL of a Sentinel, as if it were a Redis. */
  get urlOfSentinel(): string {
    return `redis://:${encodeURIComponent(SENTINEL_PASSWORD)}@localhost:${this.sentinelPorts[0]}`;
  }

  /** Runs a command on each Sentinel. */
  async runOnSentinels(command: string, ...args: string[]): Promise<void> {
    for (const port of this.sentinelPorts) await runOn(this.optionsOf(port), command, ...args);
  }

  /** Returns the server that the Sentinels name as the master. */
  async master(): Promise<RedisServer> {
    const { port } = await this.askSentinel(this.sentinelPorts[0]!, 'MASTER', MASTER);
    return this.servers.find((server) => this.portOf(server) === Number(port))!;
  }

  /** Starts a planned failover. */
  async failOver(): Promise<void> {
    await this.askSentinel(this.sentinelPorts[0]!, 'FAILOVER', MASTER);
  }

  private async startServer(server: RedisServer, more: Record<string, string> = {}): Promise<number> {
    const auth = { requirepass: PASSWORD, masterauth: PASSWORD, 'replica-announce-ip': 'localhost' };
    if (this.certificate) this.tlsPorts.set(server, this.tlsPorts.get(server) ?? (await freePort()));
    await server.start({ ...auth, ...this.tls(this.tlsPorts.get(server)), ...more });
    return this.portOf(server);
  }

  async remove(): Promise<void> {
    for (const child of this.children) if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit');
    for (const server of this.servers) await server.remove();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private portOf(server: RedisServer): number {
    return this.tlsPorts.get(server) ?? server.port;
  }

  private tls(port?: number): Record<string, string> {
    if (!this.certificate) return {};
    return {
      'tls-port': String(port),
      'tls-cert-file': this.certificate.certificate,
      'tls-key-file': this.certificate.key,
      'tls-ca-cert-file': this.certificate.certificate,
      'tls-auth-clients': 'no',
      'tls-replication': 'yes',
    };
  }

  private startSentinel(port: number, masterPort: number): void {
    const settings = {
      port: this.certificate ? 0 : port,
      bind: '127.0.0.1',
      dir: this.folder,
      ...this.tls(port),
      requirepass: SENTINEL_PASSWORD,
      'sentinel sentinel-pass': SENTINEL_PASSWORD,
      'sentinel resolve-hostnames': 'yes',
      'sentinel announce-hostnames': 'yes',
      [`sentinel monitor ${MASTER}`]: `localhost ${masterPort} 2`,
      [`sentinel auth-pass ${MASTER}`]: PASSWORD,
      [`sentinel down-after-milliseconds ${MASTER}`]: 500,
      [`sentinel failover-timeout ${MASTER}`]: 2000,
    };
    const file = join(this.folder, `${port}.conf`);
    writeFileSync(
      file,
      Object.entries(settings)
        .map(([name, value]) => `${name} ${value}\n`)
        .join(''),
    );
    this.children.push(spawn(REDIS_SERVER, [file, '--sentinel'], { stdio: 'ignore' }));
  }

  private optionsOf(port: number): RedisOptions {
    const tls = this.certificate && { tls: { ca: readFileSync(this.certificate.certificate) } };
    return { host: 'localhost', port, password: SENTINEL_PASSWORD, ...tls };
  }

  private async askSentinel(port: number, ...args: string[]): Promise<Record<string, string>> {
    const reply = await runOn(this.optionsOf(port), 'SENTINEL', ...args).catch(() => []);
    const cells = Array.isArray(reply) ? (reply as string[]) : [];
    return Object.fromEntries(cells.flatMap((name, index) => (index % 2 ? [] : [[name, cells[index + 1]!]])));
  }
}
