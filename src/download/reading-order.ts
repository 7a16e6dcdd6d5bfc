/** How many pieces that clients wait for are read for each piece that is read ahead. */
const PER_PIECE_AHEAD = 4;

/** How long a response waits before it reads a piece ahead, in milliseconds. While it waits, it holds a connection. */
const LONGEST_WAIT_MS = 250;

/**
 * Decides which response reads its next piece first. The client of a direct response waits for the piece. A spooled
 * response reads ahead of its client, so it can wait. Otherwise, the response of a fast client takes seven times as long
 * while the responses of eight slow clients are spooled.
 */
export class ReadingOrder {
  /** The number of pieces that are being read while their clients wait. */
  private reading = 0;
  /** The number of such pieces so far. */
  private total = 0;
  /** Resumes the responses that wait, longest first. */
  private readonly waiting = new Set<() => void>();

  /** Reads a piece that its client waits for. @returns what `read` returned */
  async readNow<T>(read: () => Promise<T>): Promise<T> {
    this.reading++;
    try {
      return await read();
    } finally {
      this.reading--;
      if (++this.total % PER_PIECE_AHEAD === 0) [...this.waiting][0]?.();
      // Until then, a client that keeps up begins to wait for its next piece.
      if (this.waiting.size) setImmediate(() => this.resumeAll());
    }
  }

  /**
   * Waits until a response may read a piece ahead: not at all if no client waits for a piece, otherwise for its turn, and
   * at most {@link LONGEST_WAIT_MS}.
   * @param caughtUp resolves when the client of this response waits as well
   */
  async waitToReadAhead(caughtUp: () => Promise<void>): Promise<void> {
    if (!this.reading) return;
    let resume!: () => void;
    const resumed = new Promise<void>((resolve) => (resume = resolve));
    const timer = setTimeout(resume, LONGEST_WAIT_MS);
    this.waiting.add(resume);
    await Promise.race([resumed, caughtUp()]).finally(() => this.waiting.delete(resume));
    clearTimeout(timer);
  }

  private resumeAll(): void {
    if (!this.reading) for (const resume of this.waiting) resume();
  }
}
