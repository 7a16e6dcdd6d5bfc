import { setImmediate } from 'node:timers/promises';
import { ReadingOrder } from './reading-order.js';

const never = () => new Promise<void>(() => undefined);

let order: ReadingOrder;
/** The names of the responses that have read ahead so far. */
let resumed: string;
beforeEach(() => {
  order = new ReadingOrder();
  resumed = '';
});
afterEach(() => void jest.useRealTimers());

const readAhead = (name: string, caughtUp = never) =>
  void order.waitToReadAhead(caughtUp).then(() => (resumed += name));

/** Begins to read a piece that its client waits for. @returns ends it */
function begin(): () => Promise<void> {
  let end!: () => void;
  const read = order.readNow(() => new Promise<void>((resolve) => (end = resolve)));
  return () => {
    end();
    return read;
  };
}

/** Reads pieces that their clients wait for. @returns the names of the responses resumed after each of them */
async function readPieces(count: number): Promise<string[]> {
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

test('one piece in five is read ahead if a client always waits, first by the response that waited longest', async () => {
  const endLast = begin();
  for (const name of ['a', 'b']) readAhead(name);
  expect(await readPieces(8)).toEqual(['', '', '', 'a', 'a', 'a', 'a', 'ab']);
  await endLast();
});

test('a response whose client has caught up does not wait, and takes the turn of no other response', async () => {
  const endLast = begin();
  readAhead('a', () => Promise.resolve());
  readAhead('b');
  await setImmediate();
  expect(resumed).toBe('a');
  expect((await readPieces(4)).at(-1)).toBe('ab');
  await endLast();
});

test('all responses read ahead once no client waits for a piece, even if the last piece could not be read', async () => {
  const failed = order.readNow(() => Promise.reject(new Error('it failed')));
  for (const name of ['a', 'b']) readAhead(name);
  await expect(failed).rejects.toThrow('it failed');
  await setImmediate();
  await setImmediate();
  expect(resumed).toBe('ab');
});

test('a response waits for at most 250 ms, even if a piece is never read', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
  void order.readNow(never);
  readAhead('a');
  await jest.advanceTimersByTimeAsync(249);
  expect(resumed).toBe('');
  await jest.advanceTimersByTimeAsync(1);
  expect(resumed).toBe('a');
});
