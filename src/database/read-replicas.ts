import { ContentHistory } from './content-history.js';
import type { Query } from './query.js';
import type { ReadReplica } from './read-replica.js';

/** The read replicas of a server, of which those that are ready are used in turn. */
export class ReadReplicas {
  private watching?: Promise<unknown>;
  private nextReplica = 0;

  constructor(
    readonly all: readonly ReadReplica[],
    private readonly maxLagSeconds: number,
  ) {}

  /** Checks the replicas from the first call on. Resolves when each was checked once. @param server queries the server */
  watch(server: Query): Promise<unknown> {
    this.watching ??= this.begin(new ContentHistory(server, this.maxLagSeconds * 1000));
    return this.watching;
  }

  /** The replicas that are ready, beginning with another one each time. */
  inTurn(): readonly ReadReplica[] {
    const ready = this.all.filter(({ isReady }) => isReady);
    const first = this.nextReplica++ % (ready.length || 1);
    return [...ready.slice(first), ...ready.slice(0, first)];
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((replica) => replica.close()));
  }

  private begin(server: ContentHistory): Promise<unknown> {
    return Promise.all(this.all.map((replica) => replica.watch(server)));
  }
}
