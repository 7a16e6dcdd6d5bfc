import { contentFingerprint } from './content-fingerprint.js';
import type { Query } from './query.js';

/** The recent states of the server's content, each with the time at which it was last seen to be the current one. */
export class ContentHistory {
  /** By fingerprint, earliest first; milliseconds of `performance.now()`. */
  private readonly lastSeen = new Map<string, number>();

  /** @param keptMs how long a state is remembered that is no longer current */
  constructor(
    private readonly server: Query,
    private readonly keptMs: number,
  ) {}

  /**
   * Queries the server, and finds when it was last seen with this content. Query the replica first: a change between both
   * queries then cannot make the replica's content look unknown.
   * @returns milliseconds of `performance.now()`; undefined: never
   * @throws if the server does not respond
   */
  async lastCurrent(fingerprint: string): Promise<number | undefined> {
    const asked = performance.now();
    this.note(await contentFingerprint(this.server), asked);
    return this.lastSeen.get(fingerprint);
  }

  private note(current: string, at: number): void {
    // A Map keeps the place of a key that is set again.
    this.lastSeen.delete(current);
    this.lastSeen.set(current, at);
    for (const [fingerprint, seen] of this.lastSeen) {
      if (at - seen <= this.keptMs) return;
      this.lastSeen.delete(fingerprint);
    }
  }
}
