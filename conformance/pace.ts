import { setTimeout as sleep } from 'node:timers/promises';
import type { ReceivedResponse } from './http.js';
import { millisecondsLeft, quotaWindowOf } from './quota-window.js';

/** The contract's quota, which applies until a response reports a different one. */
const CONTRACT_PER_MINUTE = 60;

/** The wait if a response does not show when its window ends. */
const UNKNOWN_MS = 60_000;

interface Window {
  reset: string;
  /** Milliseconds since 1970 by the clock of this process. */
  endsAt: number;
  remaining: number;
  /** The requests of the window that are left to other clients. */
  reserved: number;
}

/**
 * Limits the requests that count in one bucket to a share of its quota. When a response first reports a window, the
 * share applies to the requests that remain in that window. Other clients with the same credentials can use the rest.
 */
export class Pace {
  private readonly windows = new Map<string, Window>();
  private isQuotaUnknown = false;

  /**
   * @param share above 0, at most 1
   * @param log receives a line for each wait
   */
  constructor(
    private readonly caller: string,
    private readonly share: number,
    private readonly log: (line: string) => void,
  ) {}

  /** Resolves when the next request may be sent. */
  async waitForRoom(): Promise<void> {
    if (this.isQuotaUnknown) await sleep(60_000 / CONTRACT_PER_MINUTE / this.share);
    for (const [label, { remaining, reserved, endsAt }] of this.windows)
      if (remaining <= reserved) await this.wait(endsAt - Date.now(), `the share of its ${label} quota is used`);
  }

  /** Reads the remaining requests from a response. */
  learn(response: ReceivedResponse): void {
    const quota = quotaWindowOf(response);
    this.isQuotaUnknown = !quota || Number.isNaN(quota.remaining);
    if (!quota || this.isQuotaUnknown) return;
    const { label, reset, remaining } = quota;
    const known = this.windows.get(label);
    const reserved = known?.reset === reset ? known.reserved : Math.floor(remaining * (1 - this.share));
    const left = millisecondsLeft(response, quota) || UNKNOWN_MS;
    this.windows.set(label, { reset, remaining, reserved, endsAt: Date.now() + left });
  }

  /** Waits for the Retry-After of a 429. */
  async refused({ headers }: ReceivedResponse): Promise<void> {
    await this.wait(1000 * (Number(headers['retry-after']) || UNKNOWN_MS / 1000), 'it received 429');
  }

  private async wait(milliseconds: number, why: string): Promise<void> {
    if (milliseconds <= 0) return;
    this.log(`Waiting ${Math.ceil(milliseconds / 1000)} s for the ${this.caller}: ${why}.`);
    await sleep(milliseconds);
  }
}
