import { ContentHistory } from './content-history.js';
import type { Query } from './query.js';
import type { ReadReplica } from './read-replica.js';

/** The read replicas of a server. Snapshots use the ready replicas in turn. */
export class ReadReplicas {
  private watching?: Promise<unknown>;
  private nextReplica = 0;

  constructor(
    readonly all: readonly ReadReplica[],
    private readonly maxLagSeconds: number,
  ) {}

  /**
   * Starts the checks. Only the first call has this effect. Resolves after the first check of each replica.
   * @param server queries the server
   */
  watch(server: Query): Promise<unknown> {
    this.watching ??= this.startWatching(new ContentHistory(server, this.maxLagSeconds * 1000));
    return this.watching;
  }

  /** Returns the ready replicas. Each call starts with the next replica. */
  inTurn(): readonly ReadReplica[] {
    const ready = this.all.filter(({ isReady }) => isReady);
    const first = this.nextReplica++ % (ready.length || 1);
    return [...ready.slice(first), ...ready.slice(0, first)];
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((replica) => replica.close()));
  }

  private startWatching(server: ContentHistory): Promise<unknown> {
    return Promise.all(this.all.map((replica) => replica.watch(server)));
  }
}
