import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { announceExit, type Exit, EXIT_CHANNEL } from './exit-channel.js';

/** Announces the exit to a subscriber that waits for the promise. */
async function exitWith(promise: Promise<unknown>): Promise<void> {
  const wait = (exit: unknown) => (exit as Exit).waitFor(promise);
  subscribe(EXIT_CHANNEL, wait);
  await announceExit().finally(() => unsubscribe(EXIT_CHANNEL, wait));
}

describe('announceExit (decision 195)', () => {
  test('resolves at once without subscribers', async () => {
    await expect(announceExit()).resolves.toBeUndefined();
  });

  test('waits for the work of a subscriber, even if it fails', async () => {
    let isDone = false;
    const fail = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      isDone = true;
      throw new Error('failed');
    };
    await exitWith(fail());
    expect(isDone).toBe(true);
  });

  test('does not wait longer than a second', async () => {
    jest.useFakeTimers();
    let hasEnded = false;
    const exit = exitWith(new Promise(() => {})).then(() => (hasEnded = true));
    await jest.advanceTimersByTimeAsync(999);
    expect(hasEnded).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    await exit;
    expect(hasEnded).toBe(true);
    jest.useRealTimers();
  });
});
