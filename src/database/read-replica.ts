import { Logger } from '@nestjs/common';
import { contentFingerprint } from './content-fingerprint.js';
import type { ContentHistory } from './content-history.js';
import type { PoolLoad, ReplicaState } from './engine.js';
import { assertSchemaComplete } from './required-schema.js';
import { LIST_COLUMNS } from './server-sql.js';
import type { ServerPool } from './server-pool.js';

/** Pause between two checks of a replica, in milliseconds. */
const CHECK_MS = 1000;

/**
 * A read replica. Snapshots come from the replica while it responds, has the current schema, and has content that the
 * server had within the lag limit. A background check tests these conditions, so that no request waits for a lost
 * replica.
 */
export class ReadReplica implements ReplicaState {
  private readonly logger = new Logger('ReadReplica');
  private state: 'new' | 'ready' | 'lost' | 'behind' | 'closed' = 'new';
  private timer?: NodeJS.Timeout;
  private readonly createdAt = performance.now();
  /** The last time that a check found the content of this replica on the server. Undefined if none did. */
  private currentAt?: number;
  /** The load of the connection that is reserved for checks. Downloads cannot take it. */
  private readonly checks: PoolLoad = { name: 'replica check', size: 1, inUse: 0, waiting: 0 };

  /** @param name the name in logs and metrics */
  constructor(
    readonly name: string,
    readonly pool: ServerPool,
    private readonly maxLagSeconds: number,
  ) {}

  get isReady(): boolean {
    return this.state === 'ready';
  }

  get lagSeconds(): number {
    return (performance.now() - (this.currentAt ?? this.createdAt)) / 1000;
  }

  /** Checks the replica repeatedly until it is closed. Resolves after the first check, and never rejects. */
  async watch(server: ContentHistory): Promise<void> {
    await this.check(server);
    if (this.state !== 'closed') this.timer = setTimeout(() => void this.watch(server), CHECK_MS).unref();
  }

  /** Stops reading from the replica until a check succeeds. */
  markLost({ message }: Error): void {
    this.enter('lost', `is lost (${message})`);
  }

  close(): Promise<void> {
    this.state = 'closed';
    clearTimeout(this.timer);
    return this.pool.close();
  }

  private async check(server: ContentHistory): Promise<void> {
    try {
      const fingerprint = await this.fingerprint();
      // If the server does not respond, there is nothing to compare with, so the state does not change.
      await server.lastCurrent(fingerprint).then(
        (at) => this.updateState(at),
        () => undefined,
      );
    } catch (error) {
      this.markLost(error as Error);
    }
  }

  private async fingerprint(): Promise<string> {
    const lease = await this.pool.begin('DO 1', this.checks);
    try {
      await assertSchemaComplete(lease.query, LIST_COLUMNS);
      return await contentFingerprint(lease.query);
    } finally {
      lease.release();
    }
  }

  /** @param lastCurrent the last time that a check found the current content of this replica on the server */
  private updateState(lastCurrent: number | undefined): void {
    if (lastCurrent !== undefined) this.currentAt = Math.max(lastCurrent, this.currentAt ?? 0);
    const lag = Math.round(this.lagSeconds);
    if (this.lagSeconds > this.maxLagSeconds)
      this.enter('behind', `lags (${lag} s, DATABASE_REPLICA_LAG_SECONDS is ${this.maxLagSeconds})`);
    else if (this.currentAt !== undefined) this.enter('ready', 'is back');
  }

  private enter(state: 'ready' | 'lost' | 'behind', description: string): void {
    if (this.state === 'closed' || this.state === state) return;
    const isFirst = this.state === 'new';
    this.state = state;
    if (state !== 'ready')
      this.logger.error(
        `The replica ${this.name} ${description}: downloads read from other replicas or from the server`,
      );
    else if (!isFirst) this.logger.log(`The replica ${this.name} ${description}: downloads read from it again`);
  }
}
