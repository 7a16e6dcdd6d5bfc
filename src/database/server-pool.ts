import type { DataSource } from 'typeorm';
import { withDeadline } from './deadline.js';
import { Lease, type LeaseTerms } from './lease.js';

/** A pool of connections to a server, which is opened when it is first needed, and anew where that failed. */
export class ServerPool {
  private opened?: Promise<DataSource>;

  constructor(
    private readonly open: () => Promise<DataSource>,
    private readonly terms: LeaseTerms,
  ) {}

  /** @throws if no connection comes free in time */
  lease(): Promise<Lease> {
    const { wait } = this.terms;
    this.opened ??= withDeadline(this.open(), wait, `The server did not answer within ${wait} ms`, close).catch(
      (error) => {
        this.opened = undefined;
        throw error;
      },
    );
    return Lease.of(this.opened, this.terms);
  }

  async close(): Promise<void> {
    await this.opened?.then((pool) => pool.destroy()).catch(() => undefined);
  }
}

function close(pool: DataSource): Promise<void> {
  return pool.destroy();
}
