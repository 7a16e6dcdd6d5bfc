import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import mysql from 'mysql2/promise';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.mjs';
import { findProgram } from './programs.mjs';
import { until } from './until.js';

/** As root, rsync gives up its rights and cannot write the folder of the other node. */
const UNPRIVILEGED = 65_534;
const uid = process.getuid?.() === 0 ? UNPRIVILEGED : undefined;

/** A Galera cluster of two nodes of MariaDB on this machine. */
export class GaleraCluster {
  private readonly folder = mkdtempSync(join(tmpdir(), 'customer-data-galera-'));
  private readonly nodes: ChildProcess[] = [];
  private readonly ports: number[] = [];
  private address = 'gcomm://';

  static async start(): Promise<GaleraCluster> {
    const cluster = new GaleraCluster();
    chmodSync(cluster.folder, 0o755);
    for (const name of ['one', 'two']) await cluster.join(name);
    return cluster;
  }

  /** The administrator's URL of each node. */
  get urls(): string[] {
    return this.ports.map((port) => `mysql://root@127.0.0.1:${port}/mysql`);
  }

  async stop(): Promise<void> {
    for (const node of this.nodes) {
      node.kill('SIGKILL');
      if (node.exitCode === null && node.signalCode === null) await once(node, 'exit');
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async join(name: string): Promise<void> {
    const folder = join(this.folder, name);
    mkdirSync(folder);
    if (uid) chownSync(folder, uid, uid);
    const options = ['--defaults-file=/dev/null', `--datadir=${join(folder, 'data')}`];
    const install = [...options, '--auth-root-authentication-method=normal', '--skip-test-db'];
    execFileSync('mariadb-install-db', install, { stdio: 'ignore', uid, gid: uid });
    const [port, group, state, transfer] = [await freePort(), await freePort(), await freePort(), await freePort()];
    const galera = [
      '--wsrep-on=ON',
      '--wsrep-provider=/usr/lib/galera/libgalera_smm.so',
      `--wsrep-provider-options=gmcast.listen_addr=tcp://127.0.0.1:${group};ist.recv_addr=127.0.0.1:${state}`,
      `--wsrep-cluster-address=${this.address}`,
      '--wsrep-node-address=127.0.0.1',
      `--wsrep-sst-receive-address=127.0.0.1:${transfer}`,
      '--binlog-format=ROW',
    ];
    const place = [`--socket=${join(folder, 'socket')}`, `--port=${port}`, '--bind-address=127.0.0.1'];
    const node = spawn(findProgram('mariadbd')!, [...options, ...place, ...galera], { stdio: 'ignore', uid, gid: uid });
    process.once('exit', () => node.kill('SIGKILL'));
    this.nodes.push(node);
    this.ports.push(port);
    if (this.nodes.length === 1) this.address = `gcomm://127.0.0.1:${group}`;
    const url = this.urls.at(-1)!;
    await until(`node ${name} is ready`, () => isReady(url), { everyMs: 100 });
  }
}

async function isReady(url: string): Promise<boolean> {
  const connection = await mysql.createConnection(url).catch(() => undefined);
  const [rows] = (await connection?.query(`SHOW STATUS LIKE 'wsrep_ready'`).catch(() => undefined)) ?? [];
  await connection?.end();
  return (rows as { Value: string }[] | undefined)?.[0]?.Value === 'ON';
}
