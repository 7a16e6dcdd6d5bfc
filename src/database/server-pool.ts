import type { DataSource } from 'typeorm';
import { withDeadline } from './deadline.js';
import type { PoolLoad } from './engine.js';
import { Lease, type LeaseTerms, markSilent } from './lease.js';

/** The error code of mysql2 for a connection that times out. */
const CONNECT_TIMED_OUT = 'ETIMEDOUT';

/** A pool of connections to a server. The first lease opens it, and later leases retry if that failed. */
export class ServerPool {
  private opened?: Promise<DataSource>;

  constructor(
    private readonly open: () => Promise<DataSource>,
    private readonly terms: LeaseTerms,
  ) {}

  /**
   * Leases a connection and runs the first statement of a task on it, so that no task starts on a dead connection.
   * @param load the load that counts the connection
   * @throws if no connection becomes free in time
   */
  async begin(sql: string, load: PoolLoad = this.terms.load): Promise<Lease> {
    this.opened ??= this.openInTime();
    return (await Lease.begin(this.opened, { ...this.terms, load }, { sql })).lease;
  }

  async close(): Promise<void> {
    await this.opened?.then((pool) => pool.destroy()).catch(() => undefined);
  }

  private async openInTime(): Promise<DataSource> {
    const { wait, server } = this.terms;
    const message = `The server did not respond within ${wait} ms`;
    const startedAt = performance.now();
    try {
      return await withDeadline(this.open(), wait, message, close);
    } catch (error) {
      this.opened = undefined;
      const { message: text, code } = error as NodeJS.ErrnoException;
      if (text === message || code === CONNECT_TIMED_OUT) markSilent(server, startedAt);
      throw error;
    }
  }
}

function close(pool: DataSource): Promise<void> {
  return pool.destroy();
}
