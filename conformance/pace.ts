import { setTimeout as sleep } from 'node:timers/promises';
import type { ReceivedResponse } from './http.js';
import { millisecondsLeft, quotaWindowOf } from './quota-window.js';

/** Where no answer has told of a quota, as many requests a minute as the contract gives are shared out. */
const CONTRACT_PER_MINUTE = 60;

/** Where an answer does not tell when a window ends. */
const UNKNOWN_MS = 60_000;

interface Window {
  reset: string;
  /** By the clock of this process. */
  endsAt: number;
  remaining: number;
  /** The calls in it that are for others. */
  reserved: number;
}

/**
 * Keeps the requests that count in one bucket to a share of it: of what is left of a window when the first answer tells
 * of it, the rest is for others with the same credentials.
 */
export class Pace {
  private readonly windows = new Map<string, Window>();
  private untold = false;

  /**
   * @param share above 0, at most 1
   * @param tell told of each longer wait
   */
  constructor(
    private readonly whose: string,
    private readonly share: number,
    private readonly tell: (line: string) => void,
  ) {}

  /** Resolves when the next request may go out. */
  async waitForRoom(): Promise<void> {
    if (this.untold) await sleep(60_000 / CONTRACT_PER_MINUTE / this.share);
    for (const [label, { remaining, reserved, endsAt }] of this.windows)
      if (remaining <= reserved) await this.wait(endsAt - Date.now(), `its share of the ${label} quota is used`);
  }

  /** Reads from the answer what is left. */
  learn(response: ReceivedResponse): void {
    const told = quotaWindowOf(response);
    this.untold = !told || Number.isNaN(told.remaining);
    if (!told || this.untold) return;
    const { label, reset, remaining } = told;
    const known = this.windows.get(label);
    const reserved = known?.reset === reset ? known.reserved : Math.floor(remaining * (1 - this.share));
    const left = millisecondsLeft(response, told) || UNKNOWN_MS;
    this.windows.set(label, { reset, remaining, reserved, endsAt: Date.now() + left });
  }

  /** Waits as a refusal asks for. */
  async refused({ headers }: ReceivedResponse): Promise<void> {
    await this.wait(1000 * (Number(headers['retry-after']) || UNKNOWN_MS / 1000), 'it was answered 429');
  }

  private async wait(milliseconds: number, why: string): Promise<void> {
    if (milliseconds <= 0) return;
    this.tell(`Waiting ${Math.ceil(milliseconds / 1000)} s for the ${this.whose}: ${why}.`);
    await sleep(milliseconds);
  }
}
