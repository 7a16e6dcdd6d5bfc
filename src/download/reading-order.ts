/** How many awaited pieces are read for each piece that is read ahead. */
const AWAITED_EACH = 4;

/**
 * Decides which response reads its next piece first. The client of a direct response waits for the piece. A spooled
 * response reads ahead of its client, so it can wait. Otherwise, the response of a fast client takes seven times as long
 * while the responses of eight slow clients are spooled.
 */
export class ReadingOrder {
  private reading = 0;
  private read = 0;
  /** Resumes the responses that wait, longest first. */
  private readonly waiting = new Set<() => void>();

  /** Reads a piece that its client waits for. @returns what `read` returned */
  async awaited<T>(read: () => Promise<T>): Promise<T> {
    this.reading++;
    try {
      return await read();
    } finally {
      this.reading--;
      if (++this.read % AWAITED_EACH === 0) this.resumeFirst();
      // A fast client's response begins to read its next piece before that.
      if (this.waiting.size) setImmediate(() => this.resumeAll());
    }
  }

  /**
   * Resolves when a piece may be read ahead: at once if no client waits for a piece, otherwise after some of those, or
   * when the client of this response waits as well.
   */
  async ahead(clientWaits: Promise<void>): Promise<void> {
    if (!this.reading) return;
    let resume = NOTHING;
    const resumed = new Promise<void>((resolve) => (resume = resolve));
    this.waiting.add(resume);
    await Promise.race([resumed, clientWaits]);
    this.waiting.delete(resume);
  }

  private resumeFirst(): void {
    for (const resume of this.waiting) {
      this.waiting.delete(resume);
      return resume();
    }
  }

  private resumeAll(): void {
    if (!this.reading) for (const resume of this.waiting) resume();
  }
}

const NOTHING = (): void => undefined;
