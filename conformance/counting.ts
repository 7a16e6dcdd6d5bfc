import { Broken } from './failure.js';
import type { Call, Deployment } from './deployment.js';
import { type QuotaWindow, quotaWindowOf } from './quota-window.js';

/** More than one, because other clients with the same credentials may send requests, and a window may end. */
const ATTEMPTS = 4;

/**
 * Sends calls that count in one quota, one after another, and expects each to lower X-Rate-Limit-Remaining by one.
 * @param between sent after the first call; these must not count in the quota
 * @throws {Broken} if no attempt shows this
 */
export async function expectEachCounted(deployment: Deployment, calls: Call[], between: Call[] = []): Promise<void> {
  const [first, ...others] = calls;
  let remaining: unknown;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const windows = [quotaWindowOf(await deployment.send(first!))];
    for (const call of between) await deployment.send(call);
    for (const call of others) windows.push(quotaWindowOf(await deployment.send(call)));
    if (windows.every((window, index) => index === 0 || follows(windows[index - 1], window))) return;
    remaining = windows.map((window) => window?.remaining);
  }
  const hint = 'does another client use the same credentials?';
  throw new Broken(
    `expected each request to lower X-Rate-Limit-Remaining by one, received ${JSON.stringify(remaining)}; ${hint}`,
  );
}

function follows(before?: QuotaWindow, after?: QuotaWindow): boolean {
  return before !== undefined && before.reset === after?.reset && after.remaining === before.remaining - 1;
}
