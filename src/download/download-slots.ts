import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { BusyError } from '../database/busy-error.js';

interface Waiter {
  customerCode: string;
  enter(): void;
}

/**
 * Lets so many downloads in at a time, and of one customer only some of them, so that nobody takes all. Others wait for
 * their turn, in order, but not for long.
 */
@Injectable()
export class DownloadSlots {
  private readonly taken = new Map<string, number>();
  private readonly waiting: Waiter[] = [];
  private total = 0;

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  /**
   * Takes a slot. @returns what gives it back
   * @throws {BusyError} if none comes free within the wait setting
   * @throws an AbortError when `gone` aborts first
   */
  async take(customerCode: string, gone: AbortSignal): Promise<() => void> {
    if (!this.isFree(customerCode)) await this.turn(customerCode, gone);
    else this.enter(customerCode);
    let given = false;
    return () => {
      if (!given) this.leave(customerCode);
      given = true;
    };
  }

  /** Downloads under way, and requests that wait for one. */
  get load(): { active: number; waiting: number } {
    return { active: this.total, waiting: this.waiting.length };
  }

  private isFree(customerCode: string): boolean {
    const { DOWNLOAD_POOL_SIZE, DOWNLOADS_PER_CUSTOMER } = this.settings;
    return this.total < DOWNLOAD_POOL_SIZE && (this.taken.get(customerCode) ?? 0) < DOWNLOADS_PER_CUSTOMER;
  }

  private turn(customerCode: string, gone: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const { DATABASE_WAIT_MS: wait } = this.settings;
      const end = (finish: () => void) => {
        clearTimeout(timer);
        gone.removeEventListener('abort', abort);
        const index = this.waiting.indexOf(waiter);
        if (index >= 0) this.waiting.splice(index, 1);
        finish();
      };
      const abort = () => end(() => reject(new DOMException('The client has left', 'AbortError')));
      const enter = () => {
        this.enter(customerCode);
        end(resolve);
      };
      const late = () => end(() => reject(new BusyError(`None of the downloads came to its end within ${wait} ms`)));
      const waiter = { customerCode, enter };
      const timer = setTimeout(late, wait);
      gone.addEventListener('abort', abort);
      this.waiting.push(waiter);
      if (gone.aborted) abort();
    });
  }

  private enter(customerCode: string): void {
    this.total++;
    this.taken.set(customerCode, (this.taken.get(customerCode) ?? 0) + 1);
  }

  private leave(customerCode: string): void {
    this.total--;
    const left = this.taken.get(customerCode)! - 1;
    if (left) this.taken.set(customerCode, left);
    else this.taken.delete(customerCode);
    this.waiting.find((waiter) => this.isFree(waiter.customerCode))?.enter();
  }
}
