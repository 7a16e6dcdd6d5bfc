import { Inject, Injectable } from '@nestjs/common';
import type { Socket } from 'node:net';
import { SETTINGS, type Settings } from '../config/settings.js';
import { BusyError } from '../database/busy-error.js';
import { DatabaseService } from '../database/database.service.js';
import { oneAtATime } from '../database/deadline.js';
import type { AbortReason } from '../http/abort.js';
import { Progress } from './progress.js';

/** The number of responses in flight for each one that reads. The others need memory or disk, but no connection. */
const IN_FLIGHT_PER_READER = 20;

/** Before the service aborts a response for another customer, it measures the progress of this many seconds. */
const MEASURED_SECONDS = 5;

/** Factor of `DATABASE_WAIT_MS`. A request must outlast {@link MEASURED_SECONDS}. */
const WAIT_FACTOR = 1.5;

/** A response that holds no connection may stall this many times as long: its client progresses in jumps, see `Progress`. */
const SENDING_FACTOR = 10;

/** Factor of `DOWNLOAD_MIN_BYTES_PER_SECOND`. Below that, the only response of a customer gives way, too. */
const SLOW_FACTOR = 10;

/** How long a client may hold up a snapshot, in seconds. */
const HELD_UP_SECONDS = 600;

/** Aborts a response. */
type Abort = (reason: AbortReason, what: string) => void;

/** A place for one response, from the first statement until its last byte is sent. */
export class Slot {
  private progress?: Progress;
  private abort?: Abort;
  private heldUpSeconds = 0;
  private waits = false;
  private ended = false;

  constructor(
    readonly customerCode: string,
    private reads: boolean,
    private readonly onRead: () => void,
    readonly release: () => void,
  ) {}

  /** Whether it holds a database connection. */
  get isReading(): boolean {
    return this.reads;
  }

  /** Notes that everything was read. */
  endReading(): void {
    if (!this.reads) return;
    this.reads = false;
    this.onRead();
  }

  /** Watches the response that leaves by a socket. */
  watch(socket: Socket, abort: Abort): void {
    this.progress = new Progress(socket);
    this.abort = abort;
  }

  /** Notes that the database waits for the client meanwhile. */
  readonly heldUp = async <T>(waiting: Promise<T>): Promise<T> => {
    this.waits = true;
    try {
      return await waiting;
    } finally {
      this.waits = false;
    }
  };

  /** Called once a second. Aborts the response if its client takes too little. */
  check({ DOWNLOAD_STALL_SECONDS: stall, DOWNLOAD_MIN_BYTES_PER_SECOND: rate }: Settings): void {
    const window = this.reads ? stall : stall * SENDING_FACTOR;
    this.progress?.sample(Math.max(stall * SENDING_FACTOR, MEASURED_SECONDS));
    const bytes = this.progress?.over(window);
    if (bytes !== undefined && bytes < rate * window)
      return this.end('stall', `only ${bytes} bytes left in ${window} s (DOWNLOAD_MIN_BYTES_PER_SECOND)`);
    if (!this.isHeldUp) return;
    if (++this.heldUpSeconds > HELD_UP_SECONDS)
      this.end('held-up', `its client kept the database waiting for ${HELD_UP_SECONDS} s`);
  }

  /** Whether the database waits for its client. */
  get isHeldUp(): boolean {
    return this.reads && this.waits;
  }

  /** Its progress, if it may be aborted for others: bytes of the last seconds. */
  get expendable(): number | undefined {
    return !this.abort || (this.reads && !this.waits) ? undefined : this.progress?.over(MEASURED_SECONDS);
  }

  end(reason: AbortReason, what: string): void {
    this.ended = true;
    this.abort?.(reason, what);
    this.abort = undefined;
  }

  /** Whether the service has aborted it. It still holds its place until everything is closed. */
  get isEnded(): boolean {
    return this.ended;
  }
}

interface Waiter {
  readonly customerCode: string;
  readonly reads: boolean;
  admit(slot: Slot): void;
}

/**
 * Admits responses: only some read the database at a time, and each customer has only some in flight. Requests wait for
 * a slot, but not for long. The waiting customer that holds least comes first, so a customer with many downloads does not
 * delay the first download of another one.
 */
@Injectable()
export class DownloadSlots {
  private readonly slots = new Set<Slot>();
  private readonly waiting: Waiter[] = [];
  /** The slots of each customer that has any. */
  private readonly holdings = new Map<string, number>();
  private reading = 0;
  private timer?: NodeJS.Timeout;

  constructor(
    private readonly database: DatabaseService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Responses that read the database, all in flight, and requests that wait. */
  get load(): { reading: number; inFlight: number; waiting: number } {
    return { reading: this.reading, inFlight: this.slots.size, waiting: this.waiting.length };
  }

  /**
   * Takes a slot, which the caller releases.
   * @param reads whether the response reads the database
   * @throws {BusyError} if none comes free in time
   * @throws an AbortError when `gone` aborts first
   */
  take(customerCode: string, reads: boolean, gone: AbortSignal): Promise<Slot> {
    if (this.fits({ customerCode, reads })) return Promise.resolve(this.open(customerCode, reads));
    return new Promise((resolve, reject) => {
      const wait = WAIT_FACTOR * this.settings.DATABASE_WAIT_MS;
      const settle = (finish: () => void) => {
        clearTimeout(timer);
        gone.removeEventListener('abort', leave);
        const index = this.waiting.indexOf(waiter);
        if (index >= 0) this.waiting.splice(index, 1);
        finish();
      };
      const leave = () => settle(() => reject(new DOMException('The client has left', 'AbortError')));
      const late = () => settle(() => reject(new BusyError(`No download slot became free within ${wait} ms`)));
      const admit = (slot: Slot) => settle(() => resolve(slot));
      const waiter = { customerCode, reads, admit };
      const timer = setTimeout(late, wait);
      gone.addEventListener('abort', leave);
      this.waiting.push(waiter);
      if (gone.aborted) leave();
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
    const { DOWNLOAD_POOL_SIZE: most } = this.settings;
    return this.slots.size < most * IN_FLIGHT_PER_READER && (!reads || this.reading < most);
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
   * Aborts a response if that gives its slot to a customer that holds less. It takes the response with the least progress
   * of the customer that holds the most. The only response of a customer gives way only if its client is slow.
   * @param earlier requests of the same customer that wait, too
   */
  private makeRoom({ customerCode, reads }: Waiter, earlier = 0): void {
    const { DOWNLOAD_POOL_SIZE: readers, DOWNLOAD_MIN_BYTES_PER_SECOND: rate } = this.settings;
    const own = this.heldBy(customerCode) + earlier;
    if (own >= this.settings.DOWNLOADS_PER_CUSTOMER || this.ending >= this.demand()) return;
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
    slot?.end('held-up', 'another customer waits for the slot, and its client takes the least');
  }

  /** Responses that the service has aborted and that still hold their place. */
  private get ending(): number {
    return [...this.slots].filter(({ isEnded }) => isEnded).length;
  }

  /** Waiting requests that have a place within the share of their customer. */
  private demand(): number {
    const waiting = new Map<string, number>();
    for (const { customerCode } of this.waiting) waiting.set(customerCode, (waiting.get(customerCode) ?? 0) + 1);
    const places = (code: string) => this.settings.DOWNLOADS_PER_CUSTOMER - this.heldBy(code);
    return [...waiting].reduce((sum, [code, count]) => sum + Math.max(0, Math.min(count, places(code))), 0);
  }

  private heldUp(): Slot[] {
    return [...this.slots].filter((slot) => slot.isHeldUp);
  }

  /** A migration cannot change a table while a snapshot has it open, and its next attempt comes soon. */
  private readonly yieldToMigration = oneAtATime(async () => {
    if (!(await this.database.isMigrationWaiting())) return;
    for (const slot of this.heldUp()) slot.end('held-up', 'a migration waits for its snapshot');
  });
}

/** The first of those with the smallest measure. */
function least<T>(items: readonly T[], measure: (item: T) => number): T | undefined {
  return items.reduce<T | undefined>(
    (best, item) => (best === undefined || measure(item) < measure(best) ? item : best),
    undefined,
  );
}
