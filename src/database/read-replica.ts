import { Logger } from '@nestjs/common';
import { assertSchemaComplete } from './required-tables.js';
import { LIST_TABLES } from './server-sql.js';
import type { ServerPool } from './server-pool.js';

/** How soon a lost replica is looked at again, in milliseconds. */
const RETRY_MS = 1000;

/**
 * A read replica, which is used while it answers and has the current schema. If it does not, it is looked at again in
 * the background, and nobody waits for it.
 */
export class ReadReplica {
  private readonly logger = new Logger('ReadReplica');
  private state: 'new' | 'ready' | 'lost' | 'closed' = 'new';
  private timer?: NodeJS.Timeout;

  /** @param name for the log */
  constructor(
    private readonly name: string,
    readonly pool: ServerPool,
  ) {}

  get isReady(): boolean {
    return this.state === 'ready';
  }

  /** Looks whether it can be used; resolves within the wait setting, whether or not it can. */
  async look(): Promise<void> {
    try {
      const lease = await this.pool.lease();
      await assertSchemaComplete(lease.query, LIST_TABLES).finally(() => lease.release());
      if (this.state === 'lost') this.logger.log(`The replica ${this.name} is back: answers are read from it again`);
      if (this.state !== 'closed') this.state = 'ready';
    } catch (error) {
      this.lose(error as Error);
    }
  }

  /** It is not used any more, until it is found well again. */
  lose({ message }: Error): void {
    if (this.state === 'closed') return;
    if (this.state !== 'lost')
      this.logger.error(`The replica ${this.name} is lost (${message}): others are read, or the server itself`);
    this.state = 'lost';
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void this.look();
    }, RETRY_MS).unref();
  }

  close(): Promise<void> {
    this.state = 'closed';
    clearTimeout(this.timer);
    return this.pool.close();
  }
}
