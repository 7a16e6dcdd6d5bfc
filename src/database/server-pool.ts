import type { DataSource } from 'typeorm';
import { withDeadline } from './deadline.js';
import type { PoolLoad } from './engine.js';
import { fellSilent, Lease, type LeaseTerms } from './lease.js';

/** What mysql2 says of a server that does not answer its connection in time. */
const CONNECT_TIMED_OUT = 'ETIMEDOUT';

/** A pool of connections to a server, which is opened when it is first needed, and again if that failed. */
export class ServerPool {
  private opened?: Promise<DataSource>;

  constructor(
    private readonly open: () => Promise<DataSource>,
    private readonly terms: LeaseTerms,
  ) {}

  /** @param load where the connection is counted @throws if no connection comes free in time */
  lease(load: PoolLoad = this.terms.load): Promise<Lease> {
    this.opened ??= this.openInTime();
    return Lease.of(this.opened, { ...this.terms, load });
  }

  /** Leases a connection and runs the first statement of a task on it. @throws like {@link lease} */
  async begin(sql: string): Promise<Lease> {
    this.opened ??= this.openInTime();
    return (await Lease.begin(this.opened, this.terms, sql)).lease;
  }

  async close(): Promise<void> {
    await this.opened?.then((pool) => pool.destroy()).catch(() => undefined);
  }

  private async openInTime(): Promise<DataSource> {
    const { wait, server } = this.terms;
    const message = `The server did not answer within ${wait} ms`;
    const begun = performance.now();
    try {
      return await withDeadline(this.open(), wait, message, close);
    } catch (error) {
      this.opened = undefined;
      const { message: said, code } = error as NodeJS.ErrnoException;
      if (said === message || code === CONNECT_TIMED_OUT) fellSilent(server, begun);
      throw error;
    }
  }
}

function close(pool: DataSource): Promise<void> {
  return pool.destroy();
}
