import { contentFingerprint } from './content-fingerprint.js';
import type { Query } from './query.js';

/** Recent content fingerprints of the server, each with the time when a check last saw it as the current one. */
export class ContentHistory {
  /** Times by fingerprint, earliest first, in milliseconds of `performance.now()`. */
  private readonly lastSeen = new Map<string, number>();

  /** @param retentionMs how long a fingerprint that is no longer current is retained */
  constructor(
    private readonly server: Query,
    private readonly retentionMs: number,
  ) {}

  /**
   * Queries the server, and returns when a check last saw it with this fingerprint. Read the fingerprint of the replica
   * before you call this. Otherwise a change between the two queries can make the fingerprint look unknown.
   * @returns milliseconds of `performance.now()`; undefined if no check saw the fingerprint
   * @throws if the server does not respond
   */
  async lastCurrent(fingerprint: string): Promise<number | undefined> {
    const queriedAt = performance.now();
    this.record(await contentFingerprint(this.server), queriedAt);
    return this.lastSeen.get(fingerprint);
  }

  private record(current: string, at: number): void {
    // Deletes the key first, because `set` does not move an existing key to the end.
    this.lastSeen.delete(current);
    this.lastSeen.set(current, at);
    for (const [fingerprint, seen] of this.lastSeen) {
      if (at - seen <= this.retentionMs) return;
      this.lastSeen.delete(fingerprint);
    }
  }
}
