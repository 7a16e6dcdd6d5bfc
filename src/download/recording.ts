/** The size of a block in bytes. One buffer for a whole body would have to be copied to grow. */
const BLOCK = 256 * 1024;

/** Memory that recordings share. */
export interface MemoryBudget {
  /** @returns false if the budget does not have these bytes */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

/**
 * A copy of a body, made while the body is sent. Its memory belongs to a budget. If the budget has none left, the
 * recording is dropped.
 */
export class Recording {
  private blocks: Buffer[] = [];
  private size = 0;
  private isClosed = false;

  /** @param largest the largest body that is recorded, in bytes */
  constructor(
    private readonly budget: MemoryBudget,
    private readonly largest: number,
  ) {}

  /** Whether the body is larger than allowed. */
  get isTooLarge(): boolean {
    return this.size > this.largest;
  }

  add(bytes: Buffer): void {
    if (this.isClosed) return;
    for (let start = 0; start < bytes.length && !this.isClosed;) {
      const offset = this.size % BLOCK;
      if (!offset && !this.addBlock()) return;
      const copied = bytes.copy(this.blocks.at(-1)!, offset, start);
      start += copied;
      this.size += copied;
      if (this.isTooLarge) this.discard();
    }
  }

  /**
   * Ends the recording.
   * @returns its blocks, whose memory the caller returns later; undefined if the recording was dropped or is empty
   */
  finish(): Buffer[] | undefined {
    if (this.isClosed || !this.size) return undefined;
    const spare = this.blocks.length * BLOCK - this.size;
    const last = this.blocks.pop()!;
    this.blocks.push(spare ? exactly(last.subarray(0, BLOCK - spare)) : last);
    this.budget.give(spare);
    this.isClosed = true;
    return this.blocks;
  }

  /** Drops the recording, unless it was finished. */
  discard(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.budget.give(this.blocks.length * BLOCK);
    this.blocks = [];
  }

  private addBlock(): boolean {
    if (this.budget.take(BLOCK)) this.blocks.push(Buffer.allocUnsafeSlow(BLOCK));
    else this.discard();
    return !this.isClosed;
  }
}

/** Copies the bytes into a buffer of exactly their size. */
function exactly(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}
