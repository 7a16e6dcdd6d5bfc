import { channel } from 'node:diagnostics_channel';
import { withDeadline } from '../database/deadline.js';

/** How long the end of the process waits for subscribers, in milliseconds. */
const WAIT_MS = 1000;

/** What the service publishes before the process ends. */
export interface Exit {
  /** Delays the end of the process until the promise settles, for at most a second. */
  waitFor(promise: Promise<unknown>): void;
}

export const EXIT_CHANNEL = 'customer-data:exit';

const exitChannel = channel(EXIT_CHANNEL);

/** Lets subscribers finish their work before the process ends. Never rejects. */
export async function announceExit(): Promise<void> {
  if (!exitChannel.hasSubscribers) return;
  const pending: Promise<unknown>[] = [];
  exitChannel.publish({ waitFor: (promise) => void pending.push(promise) } satisfies Exit);
  await withDeadline(Promise.allSettled(pending), WAIT_MS, 'late').catch(() => undefined);
}
