import type { Response } from 'express';
import { drained, ended } from './drained.js';
import type { Pieces } from './format.js';
import type { ReadingOrder } from './reading-order.js';
import type { SpoolFile } from './spool-file.js';
import { SPOOL_BLOCK } from './spool-space.js';

/** In bytes. A client counts as slow while more bytes than this wait for it in Node's queues. */
const MAX_QUEUED_BYTES = 512 * 1024;
/**
 * The total time in milliseconds that the source waits for a client before the rest is spooled. Fast clients pause,
 * too.
 */
const PATIENCE_MS = 100;

/** What a delivery needs from its download. */
export interface DeliveryContext {
  /** Decides when the next piece is read. */
  readonly order: ReadingOrder;
  /** Opens a file for the bytes that the client has not read. Resolves with undefined if there is no space. */
  openSpool(): Promise<SpoolFile | undefined>;
  /** Awaits the promise, and records that the source of the body waits for the client during this time. */
  heldUp<T>(waiting: Promise<T>): Promise<T>;
}

/**
 * Reads a body at the pace of its source and lets the client read it at its own pace. Bytes that a slow client has not
 * read go to a temporary file. If there is no space for the file, the source waits for the client.
 */
export class Delivery {
  private spool?: Spool;
  private patience = PATIENCE_MS;

  constructor(
    private readonly response: Response,
    private readonly context: DeliveryContext,
  ) {}

  /**
   * Writes the body. Resolves when the source has ended or the connection has closed.
   * @throws errors of the source and of the disk
   */
  async take(body: Pieces): Promise<void> {
    for await (const piece of this.inOrder(body)) {
      if (this.spool) await this.spool.append(typeof piece === 'string' ? Buffer.from(piece) : piece);
      else await this.write(piece);
      if (this.response.destroyed) return;
    }
  }

  /**
   * Sends the rest. Resolves when the response is complete or the connection has closed.
   * @throws errors of the disk
   */
  async finish(): Promise<void> {
    await this.spool?.sent();
    await ended(this.response);
  }

  async close(): Promise<void> {
    await this.spool?.close();
  }

  /** Yields the pieces of the body. While the client has bytes to read from the file, they are read ahead. */
  private async *inOrder(body: Pieces): Pieces {
    const { order } = this.context;
    const read = () => body.next();
    try {
      for (;;) {
        const ahead = this.spool?.isAhead ? this.spool : undefined;
        if (ahead) await order.waitToReadAhead(() => ahead.caughtUp());
        if (this.response.destroyed) return;
        const { value, done } = await (this.spool?.isAhead ? read() : order.readNow(read));
        if (done) return;
        yield value!;
      }
    } finally {
      await body.return();
    }
  }

  private async write(piece: string | Buffer): Promise<void> {
    const { response, context } = this;
    response.write(piece);
    if (response.writableLength <= MAX_QUEUED_BYTES) return;
    const start = performance.now();
    const isDrained = this.patience > 0 && (await drained(response, this.patience));
    this.patience -= performance.now() - start;
    if (isDrained) return;
    const file = await context.openSpool();
    if (file) this.spool = new Spool(file, response, context);
    else await context.heldUp(drained(response));
  }
}

/** Sends a file while the source still appends to it. */
class Spool {
  private readonly sending: Promise<void>;
  private isComplete = false;
  private failure?: Error;
  /** Wakes the sender after an append. */
  private appended = () => {};
  /** Wakes the source after a send. */
  private emptied = () => {};

  constructor(
    private readonly file: SpoolFile,
    private readonly response: Response,
    private readonly context: DeliveryContext,
  ) {
    this.sending = this.send();
    this.sending.catch((error: Error) => {
      this.failure = error;
      this.emptied();
    });
  }

  /** Whether the client still has bytes to read. */
  get isAhead(): boolean {
    return !this.failure && !this.response.destroyed && (!this.file.isEmpty || this.response.writableNeedDrain);
  }

  /** Resolves when the client has everything that was appended, or will not read any more. Call it only before that. */
  caughtUp(): Promise<void> {
    return new Promise((resolve) => (this.emptied = resolve));
  }

  async append(bytes: Buffer): Promise<void> {
    for (let start = 0; start < bytes.length && !this.response.destroyed; start += SPOOL_BLOCK) {
      const part = bytes.subarray(start, start + SPOOL_BLOCK);
      while (!(await this.file.append(part))) {
        // After the sender has ended, nothing would wake this loop.
        if (this.isOver()) return;
        if (!this.file.isEmpty) await this.context.heldUp(this.caughtUp());
      }
      if (this.isOver()) return;
      this.appended();
    }
  }

  /**
   * Whether the connection has closed.
   * @throws the error that ended the sender
   */
  private isOver(): boolean {
    if (this.failure) throw this.failure;
    return this.response.destroyed;
  }

  /** Marks the file as complete. Resolves when everything was passed to the response or the connection has closed. */
  sent(): Promise<void> {
    this.isComplete = true;
    this.appended();
    return this.sending;
  }

  /** Call this only after the response has ended or failed. */
  async close(): Promise<void> {
    this.isComplete = true;
    this.appended();
    await this.sending.catch(() => undefined);
    await this.file.close();
  }

  private async send(): Promise<void> {
    await drained(this.response);
    while (!this.response.destroyed) {
      if (this.file.isEmpty) {
        this.emptied();
        if (this.isComplete) return;
        await new Promise<void>((resolve) => (this.appended = resolve));
        continue;
      }
      this.response.write(await this.file.read());
      await drained(this.response);
    }
    this.emptied();
  }
}
