import { Inject, Injectable } from '@nestjs/common';
import type { Socket } from 'node:net';
import { SETTINGS, type Settings } from '../config/settings.js';
import { BusyError } from '../database/busy-error.js';
import { DatabaseService } from '../database/database.service.js';
import { oneAtATime } from '../database/deadline.js';
import type { AbortReason } from '../http/abort.js';
import { Progress } from './progress.js';

/**
 * Responses in flight per response that reads the database. A response that was read completely holds memory or disk
 * space, but no connection.
 */
const IN_FLIGHT_PER_READER = 20;

/**
 * In seconds. The service measures the progress of a response for this many seconds before it may abort the response
 * in favour of another customer.
 */
const MEASURED_SECONDS = 5;

/** Factor of `DATABASE_WAIT_MS`. A waiting request must wait longer than {@link MEASURED_SECONDS}. */
const WAIT_FACTOR = 1.5;

/**
 * If the database does not wait for the client, the response may stall this many times as long, because slow clients
 * progress in jumps, see `Progress`.
 */
const NOT_HELD_UP_FACTOR = 10;

/**
 * Factor of `DOWNLOAD_MIN_BYTES_PER_SECOND`. Below this rate, the service may abort even a customer's only response in
 * favour of another customer.
 */
const SLOW_FACTOR = 10;

/** The longest total time in seconds that a client may make its snapshot wait. */
const HELD_UP_SECONDS = 600;

/** Aborts a response. */
type Abort = (reason: AbortReason, what: string) => void;

/** The slot of one response, held from the first statement until the last byte is sent. */
export class Slot {
  private progress?: Progress;
  private abort?: Abort;
  private heldUpSeconds = 0;
  private waits = false;
  private aborted = false;

  constructor(
    readonly customerCode: string,
    private reads: boolean,
    private readonly onRead: () => void,
    readonly release: () => void,
  ) {}

  /** Whether the response holds a database connection. */
  get isReading(): boolean {
    return this.reads;
  }

  /** Records that the response no longer reads the database. */
  endReading(): void {
    if (!this.reads) return;
    this.reads = false;
    this.onRead();
  }

  /** Starts to measure the response that is sent through a socket. */
  watch(socket: Socket, abort: Abort): void {
    this.progress = new Progress(socket);
    this.abort = abort;
  }

  /** Awaits the promise, and records that the database waits for the client during this time. */
  readonly heldUp = async <T>(waiting: Promise<T>): Promise<T> => {
    this.waits = true;
    try {
      return await waiting;
    } finally {
      this.waits = false;
    }
  };

  /** Aborts the response if its client reads too slowly. Must be called once a second. */
  check({ DOWNLOAD_STALL_SECONDS: stall, DOWNLOAD_MIN_BYTES_PER_SECOND: rate }: Settings): void {
    const window = this.isHeldUp ? stall : stall * NOT_HELD_UP_FACTOR;
    this.progress?.sample(Math.max(stall * NOT_HELD_UP_FACTOR, MEASURED_SECONDS));
    const bytes = this.progress?.over(window);
    if (bytes !== undefined && bytes < rate * window)
      return this.abortResponse(
        'stall',
        `only ${bytes} bytes were sent in ${window} s (DOWNLOAD_MIN_BYTES_PER_SECOND)`,
      );
    if (!this.isHeldUp) return;
    if (++this.heldUpSeconds > HELD_UP_SECONDS)
      this.abortResponse('held-up', `its client kept the database waiting for ${HELD_UP_SECONDS} s`);
  }

  /** Whether the database waits for the client of this response. */
  get isHeldUp(): boolean {
    return this.reads && this.waits;
  }

  /**
   * The number of bytes sent within {@link MEASURED_SECONDS}. Undefined if the response is younger, or if the service
   * may not abort it in favour of another customer.
   */
  get expendable(): number | undefined {
    return !this.abort || (this.reads && !this.waits) ? undefined : this.progress?.over(MEASURED_SECONDS);
  }

  /** @param what the reason in words, for the log */
  abortResponse(reason: AbortReason, what: string): void {
    this.aborted = true;
    this.abort?.(reason, what);
    this.abort = undefined;
  }

  /** Whether the service has aborted the response. The slot stays taken until everything is closed. */
  get isAborted(): boolean {
    return this.aborted;
  }
}

interface Waiter {
  readonly customerCode: string;
  readonly reads: boolean;
  admit(slot: Slot): void;
}

/**
 * Admits responses. `DOWNLOAD_POOL_SIZE` bounds the responses that read the database, `DOWNLOADS_PER_CUSTOMER` those in
 * flight of one customer. Requests wait for a slot for a bounded time. The waiting customer with the fewest slots is
 * admitted first, and downloads of one customer do not delay the first download of another.
 */
@Injectable()
export class DownloadSlots {
  private readonly slots = new Set<Slot>();
  private readonly waiting: Waiter[] = [];
  /** The number of slots of each customer that has any. */
  private readonly holdings = new Map<string, number>();
  private reading = 0;
  private timer?: NodeJS.Timeout;

  constructor(
    private readonly database: DatabaseService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** The number of responses that read the database, of all responses in flight, and of waiting requests. */
  get load(): { reading: number; inFlight: number; waiting: number } {
    return { reading: this.reading, inFlight: this.slots.size, waiting: this.waiting.length };
  }

  /**
   * Resolves with a slot, which the caller must release.
   * @param reads whether the response reads the database
   * @throws {BusyError} if no slot becomes free in time
   * @throws an AbortError if `disconnected` aborts first
   */
  take(customerCode: string, reads: boolean, disconnected: AbortSignal): Promise<Slot> {
    if (this.fits({ customerCode, reads })) return Promise.resolve(this.open(customerCode, reads));
    return new Promise((resolve, reject) => {
      const wait = WAIT_FACTOR * this.settings.DATABASE_WAIT_MS;
      const settle = (finish: () => void) => {
        clearTimeout(timer);
        disconnected.removeEventListener('abort', leave);
        const index = this.waiting.indexOf(waiter);
        if (index >= 0) this.waiting.splice(index, 1);
        finish();
      };
      const leave = () => settle(() => reject(new DOMException('The client has left', 'AbortError')));
      const late = () => settle(() => reject(new BusyError(`No download slot became free within ${wait} ms`)));
      const admit = (slot: Slot) => settle(() => resolve(slot));
      const waiter = { customerCode, reads, admit };
      const timer = setTimeout(late, wait);
      disconnected.addEventListener('abort', leave);
      this.waiting.push(waiter);
      if (disconnected.aborted) leave();
      else this.makeRoom(waiter, this.waiting.filter((one) => one.customerCode === customerCode).length - 1);
    });
  }

  private fits({ customerCode, reads }: Pick<Waiter, 'customerCode' | 'reads'>): boolean {
    return this.isWithinShare(customerCode) && this.isFree(reads);
  }

  private isWithinShare(customerCode: string): boolean {
    return this.heldBy(customerCode) < this.settings.DOWNLOADS_PER_CUSTOMER;
  }

  private isFree(reads: boolean): boolean {
    const { DOWNLOAD_POOL_SIZE: readers } = this.settings;
    return this.slots.size < readers * IN_FLIGHT_PER_READER && (!reads || this.reading < readers);
  }

  private heldBy(customerCode: string): number {
    return this.holdings.get(customerCode) ?? 0;
  }

  private open(customerCode: string, reads: boolean): Slot {
    const endReading = () => {
      this.reading--;
      this.admit();
    };
    const slot = new Slot(customerCode, reads, endReading, () => this.release(slot));
    this.slots.add(slot);
    this.holdings.set(customerCode, this.heldBy(customerCode) + 1);
    this.reading += Number(reads);
    this.timer ??= setInterval(() => this.check(), 1000).unref();
    return slot;
  }

  private release(slot: Slot): void {
    if (!this.slots.delete(slot)) return;
    const { customerCode } = slot;
    const left = this.heldBy(customerCode) - 1;
    if (left) this.holdings.set(customerCode, left);
    else this.holdings.delete(customerCode);
    if (slot.isReading) this.reading--;
    this.admit();
    if (this.slots.size) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private admit(): void {
    for (;;) {
      const admissible = this.waiting.filter((waiter) => this.fits(waiter));
      const next = least(admissible, ({ customerCode }) => this.heldBy(customerCode));
      if (!next) return;
      next.admit(this.open(next.customerCode, next.reads));
    }
  }

  private check(): void {
    for (const slot of this.slots) slot.check(this.settings);
    const customers = new Map(this.waiting.map((waiter) => [waiter.customerCode, waiter]));
    for (const waiter of customers.values()) this.makeRoom(waiter);
    if (this.heldUp().length) void this.yieldToMigration().catch(() => undefined);
  }

  /**
   * Aborts a response if that frees a slot for a customer with fewer responses. Among the customers whose responses may
   * be aborted, the one with the most slots loses its slowest response. A customer's single response is aborted only if
   * its client is slow.
   * @param earlier waiting requests of the same customer
   */
  private makeRoom({ customerCode, reads }: Waiter, earlier = 0): void {
    const { DOWNLOAD_POOL_SIZE: readers, DOWNLOAD_MIN_BYTES_PER_SECOND: rate } = this.settings;
    const own = this.heldBy(customerCode) + earlier;
    if (own >= this.settings.DOWNLOADS_PER_CUSTOMER || this.closing >= this.demand()) return;
    const needsReader = reads && this.reading >= readers;
    if (!needsReader && this.slots.size < readers * IN_FLIGHT_PER_READER) return;
    const slow = SLOW_FACTOR * rate * MEASURED_SECONDS;
    const held = (slot: Slot) => this.heldBy(slot.customerCode);
    const givesWay = (slot: Slot) => held(slot) > own + 1 || (held(slot) > own && slot.expendable! < slow);
    const expendable = [...this.slots].filter(
      (slot) => slot.expendable !== undefined && (!needsReader || slot.isReading) && givesWay(slot),
    );
    const most = Math.max(...expendable.map(held));
    const slot = least(
      expendable.filter((one) => held(one) === most),
      (one) => one.expendable!,
    );
    slot?.abortResponse(
      'held-up',
      'another customer waits for the slot, and the client of this response reads the slowest',
    );
  }

  /** The number of responses that the service has aborted and that still hold their slot. */
  private get closing(): number {
    return [...this.slots].filter(({ isAborted }) => isAborted).length;
  }

  /** The number of waiting requests that fit into the share of their customer. */
  private demand(): number {
    const waiting = new Map<string, number>();
    for (const { customerCode } of this.waiting) waiting.set(customerCode, (waiting.get(customerCode) ?? 0) + 1);
    const places = (code: string) => this.settings.DOWNLOADS_PER_CUSTOMER - this.heldBy(code);
    return [...waiting].reduce((sum, [code, count]) => sum + Math.max(0, Math.min(count, places(code))), 0);
  }

  private heldUp(): Slot[] {
    return [...this.slots].filter((slot) => slot.isHeldUp);
  }

  /**
   * Aborts held-up responses while a migration waits. A migration cannot change a table that an open snapshot has read.
   */
  private readonly yieldToMigration = oneAtATime(async () => {
    if (!(await this.database.isMigrationWaiting())) return;
    for (const slot of this.heldUp()) slot.abortResponse('held-up', 'a migration waits for its snapshot to close');
  });
}

/** The first item with the smallest measure. */
function least<T>(items: readonly T[], measure: (item: T) => number): T | undefined {
  return items.reduce<T | undefined>(
    (best, item) => (best === undefined || measure(item) < measure(best) ? item : best),
    undefined,
  );
}
