import type { Socket } from 'node:net';

/** Node's counts of a connection: bytes passed to the operating system, and bytes that wait in its own queue. */
interface Handle {
  bytesWritten: number;
  writeQueueSize: number;
}

/** The rate at which the operating system accepts a response, sampled once a second. */
export class Progress {
  private readonly samples: number[] = [];

  constructor(private readonly socket: Socket) {
    this.sample(1);
  }

  /** @param longest the longest window of later calls of `over`, in seconds */
  sample(longest: number): void {
    this.samples.push(this.bytesAccepted());
    if (this.samples.length > longest + 1) this.samples.shift();
  }

  /** The number of bytes accepted within the last `seconds`. Undefined if the response is younger. */
  over(seconds: number): number | undefined {
    const before = this.samples.at(-1 - seconds);
    return before === undefined ? undefined : this.samples.at(-1)! - before;
  }

  /**
   * The number of bytes that the operating system has accepted on the connection. Bytes in Node's queues do not count,
   * however large the last write was. The system has a buffer of a few MB, so a slow client progresses in jumps of more
   * than a megabyte.
   */
  private bytesAccepted(): number {
    const { _handle: handle } = this.socket as Socket & { _handle?: Handle | null };
    // A closed connection makes no progress.
    return handle ? handle.bytesWritten - handle.writeQueueSize : (this.samples.at(-1) ?? 0);
  }
}
