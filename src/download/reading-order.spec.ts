import { setImmediate } from 'node:timers/promises';
import { ReadingOrder } from './reading-order.js';

const NEVER = new Promise<void>(() => undefined);

let order: ReadingOrder;
let resumed: string;
beforeEach(() => {
  order = new ReadingOrder();
  resumed = '';
});

const readAhead = (name: string, clientWaits = NEVER) => void order.ahead(clientWaits).then(() => (resumed += name));

/** Begins to read an awaited piece. @returns ends it */
function begin(): () => Promise<void> {
  let end: () => void = jest.fn();
  const read = order.awaited(() => new Promise<void>((resolve) => (end = resolve)));
  return () => {
    end();
    return read;
  };
}

/** Reads awaited pieces. @returns who was resumed after each of them */
async function readAwaited(count: number): Promise<string[]> {
  const found = [];
  for (let piece = 0; piece < count; piece++) {
    await begin()();
    await setImmediate();
    found.push(resumed);
  }
  return found;
}

test('a piece is read ahead at once if no client waits for a piece', async () => {
  readAhead('a');
  await setImmediate();
  expect(resumed).toBe('a');
});

test('beside awaited pieces, one piece in five is read ahead, and the response that waited longest is first', async () => {
  const endLast = begin();
  for (const name of ['a', 'b']) readAhead(name);
  expect(await readAwaited(8)).toEqual(['', '', '', 'a', 'a', 'a', 'a', 'ab']);
  await endLast();
});

test('a response whose client waits reads at once, and takes the place of no other response', async () => {
  const endLast = begin();
  readAhead('a', Promise.resolve());
  readAhead('b');
  await setImmediate();
  expect(resumed).toBe('a');
  expect((await readAwaited(4)).at(-1)).toBe('ab');
  await endLast();
});

test('all responses read ahead once no client waits for a piece, even if the last piece could not be read', async () => {
  const failed = order.awaited(() => Promise.reject(new Error('it failed')));
  for (const name of ['a', 'b']) readAhead(name);
  await expect(failed).rejects.toThrow('it failed');
  await setImmediate();
  await setImmediate();
  expect(resumed).toBe('ab');
});
