import type { Socket } from 'node:net';

/** How fast a response leaves, sampled once a second. */
export class Progress {
  private readonly samples: number[];

  constructor(private readonly socket: Socket) {
    this.samples = [bytesAccepted(socket)];
  }

  /** @param longest window that is asked for later, in seconds */
  sample(longest: number): void {
    this.samples.push(bytesAccepted(this.socket));
    if (this.samples.length > longest + 1) this.samples.shift();
  }

  /** The bytes of the last `seconds`; undefined: the response is younger. */
  over(seconds: number): number | undefined {
    const before = this.samples.at(-1 - seconds);
    return before === undefined ? undefined : this.samples.at(-1)! - before;
  }
}

/**
 * The bytes that the system has accepted for a connection. Bytes in Node's own queues do not count, however large the
 * last write was. The system has a buffer of a few MB, so a slow client progresses in jumps.
 */
function bytesAccepted(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { _handle?: { writeQueueSize?: number } | null };
  return socket.bytesWritten - socket.writableLength - (handle?.writeQueueSize ?? 0);
}
