import { setImmediate } from 'node:timers/promises';
import { yieldToEventLoop } from './yield-to-event-loop.js';

test('yieldToEventLoop resumes one waiting caller in each turn of the event loop, in order', async () => {
  const resumed: string[] = [];
  const wait = async (name: string) => {
    for (let times = 1; times <= 2; times++) {
      await yieldToEventLoop();
      resumed.push(`${name}${times}`);
    }
  };
  const all = Promise.all(['a', 'b', 'c'].map(wait));
  expect(resumed).toEqual([]);
  const perTurn: number[] = [];
  while (resumed.length < 6) {
    const before = resumed.length;
    await setImmediate();
    perTurn.push(resumed.length - before);
  }
  await all;
  expect(resumed).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'c2']);
  expect(Math.max(...perTurn)).toBe(1);
});

test('yieldToEventLoop resumes a caller that calls after all others have resumed', async () => {
  await yieldToEventLoop();
  await expect(yieldToEventLoop()).resolves.toBeUndefined();
});
