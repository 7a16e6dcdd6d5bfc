import { Broken } from './failure.js';
import type { Call, Deployment } from './deployment.js';
import { type QuotaWindow, quotaWindowOf } from './quota-window.js';

/** Others with the same credentials may call in between, and windows end. */
const ATTEMPTS = 4;

/**
 * Sends calls of one quota, one after another, each of which has to take one from what is left.
 * @param between sent after the first of them; these must take nothing from it
 * @throws {Broken} where that is never so
 */
export async function eachTakesOne(deployment: Deployment, calls: Call[], between: Call[] = []): Promise<void> {
  const [first, ...others] = calls;
  let told: unknown;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const windows = [quotaWindowOf(await deployment.send(first!))];
    for (const call of between) await deployment.send(call);
    for (const call of others) windows.push(quotaWindowOf(await deployment.send(call)));
    if (windows.every((window, index) => index === 0 || follows(windows[index - 1], window))) return;
    told = windows.map((window) => window?.remaining);
  }
  const remedy = 'does anybody else use the same credentials?';
  throw new Broken(`expected each request to take one from what is left, came ${JSON.stringify(told)}; ${remedy}`);
}

function follows(before?: QuotaWindow, after?: QuotaWindow): boolean {
  return before !== undefined && before.reset === after?.reset && after.remaining === before.remaining - 1;
}
