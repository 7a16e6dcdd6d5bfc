import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '../config/settings.js';
import { DownloadSlots } from './download-slots.js';

const slotsOf = (settings: Partial<Settings> = {}) =>
  new DownloadSlots({
    DOWNLOAD_POOL_SIZE: 2,
    DOWNLOADS_PER_CUSTOMER: 2,
    DATABASE_WAIT_MS: 10_000,
    ...settings,
  } as Settings);

/** Whoever still waits at the end of a test leaves. */
let end: AbortController;
beforeEach(() => void (end = new AbortController()));
afterEach(() => end.abort());

/** Asks for slots, one customer after the other. @returns who got in so far, in order, and how to give back */
function ask(slots: DownloadSlots, ...customers: string[]) {
  const inside: string[] = [];
  const releases = new Map<string, () => void>();
  for (const name of customers) {
    const [customer] = name.split('-') as [string];
    const enter = (release: () => void) => {
      inside.push(name);
      releases.set(name, release);
    };
    slots.take(customer, end.signal).then(enter, () => undefined);
  }
  return {
    inside,
    release: async (name: string) => {
      await sleep(0);
      releases.get(name)!();
      await sleep(0);
    },
  };
}

test('no more than the bound are in, and the others come in as they asked', async () => {
  const slots = slotsOf();
  const { inside, release } = ask(slots, 'A', 'B', 'C', 'D', 'E');
  await sleep(0);
  expect(inside).toEqual(['A', 'B']);
  expect(slots.load).toEqual({ active: 2, waiting: 3 });
  await release('B');
  await release('A');
  expect(inside).toEqual(['A', 'B', 'C', 'D']);
  await release('C');
  await release('D');
  await release('E');
  expect(slots.load).toEqual({ active: 0, waiting: 0 });
});

test('a customer at its own bound waits, and others pass it', async () => {
  const slots = slotsOf({ DOWNLOAD_POOL_SIZE: 3, DOWNLOADS_PER_CUSTOMER: 1 });
  const { inside, release } = ask(slots, 'A-1', 'A-2', 'B-1', 'A-3', 'C-1', 'D-1');
  await sleep(0);
  expect(inside).toEqual(['A-1', 'B-1', 'C-1']);
  await release('B-1');
  expect(inside).toEqual(['A-1', 'B-1', 'C-1', 'D-1']);
  await release('A-1');
  expect(inside.at(-1)).toBe('A-2');
  expect(slots.load).toEqual({ active: 3, waiting: 1 });
});

test('nobody who comes later passes one who waits for the same', async () => {
  const slots = slotsOf({ DOWNLOAD_POOL_SIZE: 1 });
  const { inside, release } = ask(slots, 'A', 'B');
  await release('A');
  const late = ask(slots, 'C');
  await release('B');
  expect([...inside, ...late.inside]).toEqual(['A', 'B', 'C']);
});

test('giving back twice gives back once', async () => {
  const slots = slotsOf({ DOWNLOAD_POOL_SIZE: 1 });
  const { inside, release } = ask(slots, 'A', 'B', 'C');
  await release('A');
  await release('A');
  expect(inside).toEqual(['A', 'B']);
  expect(slots.load).toEqual({ active: 1, waiting: 1 });
});

test('who waits too long is refused, and does not come in later', async () => {
  const slots = slotsOf({ DOWNLOAD_POOL_SIZE: 1, DATABASE_WAIT_MS: 50 });
  const { release } = ask(slots, 'A');
  await expect(slots.take('B', end.signal)).rejects.toThrow('within 50 ms');
  await release('A');
  expect(slots.load).toEqual({ active: 0, waiting: 0 });
});

test('who leaves frees its place in the row at once', async () => {
  const slots = slotsOf({ DOWNLOAD_POOL_SIZE: 1 });
  const { release } = ask(slots, 'A');
  const leaving = new AbortController();
  const left = slots.take('B', leaving.signal);
  const { inside } = ask(slots, 'C');
  expect(slots.load.waiting).toBe(2);
  leaving.abort();
  await expect(left).rejects.toMatchObject({ name: 'AbortError' });
  expect(slots.load.waiting).toBe(1);
  await release('A');
  expect(inside).toEqual(['C']);
});

test('who has left before it asks takes nothing', async () => {
  const slots = slotsOf({ DOWNLOAD_POOL_SIZE: 1 });
  const { release } = ask(slots, 'A');
  await expect(slots.take('B', AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
  await release('A');
  expect(slots.load).toEqual({ active: 0, waiting: 0 });
});

test('it remembers no customer that has nothing under way', async () => {
  const slots = slotsOf();
  const { release } = ask(slots, 'A', 'B', 'C');
  for (const name of ['A', 'B', 'C']) await release(name);
  expect((slots as unknown as { taken: Map<string, number> }).taken.size).toBe(0);
});
