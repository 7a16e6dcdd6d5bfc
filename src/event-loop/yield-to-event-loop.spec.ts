import { setImmediate } from 'node:timers/promises';
import { yieldToEventLoop } from './yield-to-event-loop.js';

test('resumes one caller in each turn of the event loop, in order, however many wait', async () => {
  const gone: string[] = [];
  const wait = async (name: string) => {
    for (let times = 1; times <= 2; times++) {
      await yieldToEventLoop();
      gone.push(`${name}${times}`);
    }
  };
  const all = Promise.all(['a', 'b', 'c'].map(wait));
  expect(gone).toEqual([]);
  const perTurn: number[] = [];
  while (gone.length < 6) {
    const before = gone.length;
    await setImmediate();
    perTurn.push(gone.length - before);
  }
  await all;
  expect(gone).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'c2']);
  expect(Math.max(...perTurn)).toBe(1);
});

test('resumes a caller that comes when no other waits', async () => {
  await yieldToEventLoop();
  await expect(yieldToEventLoop()).resolves.toBeUndefined();
});
