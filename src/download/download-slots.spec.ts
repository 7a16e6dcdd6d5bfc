import { setMaxListeners } from 'node:events';
import type { Socket } from 'node:net';
import type { Settings } from '../config/settings.js';
import type { DatabaseService } from '../database/database.service.js';
import { DownloadSlots, type Slot } from './download-slots.js';

let migrationWaits: boolean;
const database = { isMigrationWaiting: async () => migrationWaits } as unknown as DatabaseService;
const slotsOf = (settings: Partial<Settings> = {}) =>
  new DownloadSlots(database, {
    DOWNLOAD_POOL_SIZE: 2,
    DOWNLOADS_PER_CUSTOMER: 2,
    DATABASE_WAIT_MS: 20_000,
    DOWNLOAD_STALL_SECONDS: 30,
    DOWNLOAD_MIN_BYTES_PER_SECOND: 100,
    ...settings,
  } as Settings);

/** Aborts the requests that still wait at the end of a test. */
let end: AbortController;
beforeEach(() => {
  end = new AbortController();
  setMaxListeners(0, end.signal);
  migrationWaits = false;
  jest.useFakeTimers();
});
afterEach(() => {
  end.abort();
  jest.useRealTimers();
});

const settled = () => jest.advanceTimersByTimeAsync(0);
const seconds = (count: number) => jest.advanceTimersByTimeAsync(count * 1000);

/**
 * Requests slots one after the other.
 * @returns the requests that have a slot, in order, and functions to release it
 */
function request(slots: DownloadSlots, requests: readonly string[], reads = true) {
  const admitted: string[] = [];
  const taken = new Map<string, Slot>();
  for (const name of requests) {
    const [customer] = name.split('-') as [string];
    const enter = (slot: Slot) => {
      admitted.push(name);
      taken.set(name, slot);
    };
    slots.take(customer, reads, end.signal).then(enter, () => undefined);
  }
  return {
    admitted,
    slot: (name: string) => taken.get(name)!,
    release: async (name: string) => {
      await settled();
      taken.get(name)!.release();
      await settled();
    },
  };
}

describe('admission', () => {
  test('admits as many readers as the pool has connections, and the next when a slot is released', async () => {
    const slots = slotsOf();
    const { admitted, release } = request(slots, ['A', 'B', 'C', 'D', 'E']);
    await settled();
    expect(admitted).toEqual(['A', 'B']);
    expect(slots.load).toEqual({ reading: 2, inFlight: 2, waiting: 3 });
    await release('B');
    await release('A');
    expect(admitted).toEqual(['A', 'B', 'C', 'D']);
    for (const name of ['C', 'D', 'E']) await release(name);
    expect(slots.load).toEqual({ reading: 0, inFlight: 0, waiting: 0 });
  });

  test('counts a response against its customer until it is sent, but against the readers only until it is read', async () => {
    const slots = slotsOf({ DOWNLOAD_POOL_SIZE: 1 });
    const { admitted, slot, release } = request(slots, ['A-1', 'A-2', 'A-3', 'B-1']);
    await settled();
    slot('A-1').endReading();
    await settled();
    expect(admitted).toEqual(['A-1', 'B-1']);
    slot('B-1').endReading();
    await settled();
    slot('A-2').endReading();
    await settled();
    expect(admitted).toEqual(['A-1', 'B-1', 'A-2']);
    expect(slots.load).toEqual({ reading: 0, inFlight: 3, waiting: 1 });
    await release('A-1');
    expect(admitted.at(-1)).toBe('A-3');
  });

  test('admits the customer with the fewest slots first, then the older request', async () => {
    const slots = slotsOf({ DOWNLOAD_POOL_SIZE: 3, DOWNLOADS_PER_CUSTOMER: 3 });
    const { admitted, release } = request(slots, ['A-1', 'A-2', 'B-1', 'A-3', 'C-1', 'C-2', 'D-1']);
    for (const name of ['B-1', 'C-1', 'C-2', 'D-1']) await release(name);
    expect(admitted).toEqual(['A-1', 'A-2', 'B-1', 'C-1', 'C-2', 'D-1', 'A-3']);
  });

  test('admits a response that reads nothing while all readers are busy', async () => {
    const slots = slotsOf({ DOWNLOAD_POOL_SIZE: 1 });
    request(slots, ['A']);
    const { admitted } = request(slots, ['B'], false);
    await settled();
    expect(admitted).toEqual(['B']);
    expect(slots.load).toEqual({ reading: 1, inFlight: 2, waiting: 0 });
  });

  test('limits the responses in flight to twenty times the readers', async () => {
    const slots = slotsOf({ DOWNLOAD_POOL_SIZE: 1, DOWNLOADS_PER_CUSTOMER: 100 });
    const { admitted } = request(
      slots,
      Array.from({ length: 21 }, (_, index) => `A-${index}`),
      false,
    );
    await settled();
    expect([admitted.length, slots.load.waiting]).toEqual([20, 1]);
  });

  test('releases a slot once, even if it is released twice', async () => {
    const slots = slotsOf({ DOWNLOAD_POOL_SIZE: 1 });
    const { admitted, release } = request(slots, ['A', 'B', 'C']);
    await release('A');
    await release('A');
    expect(admitted).toEqual(['A', 'B']);
    expect(slots.load).toEqual({ reading: 1, inFlight: 1, waiting: 1 });
  });

  test('rejects a request after 1.5 times `DATABASE_WAIT_MS` and does not admit it later', async () => {
    const slots = slotsOf({ DOWNLOAD_POOL_SIZE: 1, DATABASE_WAIT_MS: 1000 });
    const { release } = request(slots, ['A']);
    const refused = slots.take('B', true, end.signal).catch(({ message }: Error) => message);
    await seconds(1.4);
    expect(slots.load.waiting).toBe(1);
    await seconds(0.1);
    expect(await refused).toBe('No download slot became free within 1500 ms');
    await release('A');
    expect(slots.load).toEqual({ reading: 0, inFlight: 0, waiting: 0 });
  });

  test('removes a disconnected client from the queue', async () => {
    const slots = slotsOf({ DOWNLOAD_POOL_SIZE: 1 });
    const { release } = request(slots, ['A']);
    const leaving = new AbortController();
    const left = slots.take('B', true, leaving.signal);
    const { admitted } = request(slots, ['C']);
    leaving.abort();
    await expect(left).rejects.toMatchObject({ name: 'AbortError' });
    await expect(slots.take('D', true, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
    expect(slots.load.waiting).toBe(1);
    await release('A');
    expect(admitted).toEqual(['C']);
  });

  test('keeps no record of a customer without responses, and no timer', async () => {
    const slots = slotsOf();
    const { release } = request(slots, ['A', 'B', 'C']);
    for (const name of ['A', 'B', 'C']) await release(name);
    expect((slots as unknown as { holdings: Map<string, unknown> }).holdings.size).toBe(0);
    expect(jest.getTimerCount()).toBe(0);
  });
});

/** A connection that accepts the listed number of bytes in each second. After the last number, the list repeats. */
class FakeSocket {
  readonly _handle = Object.defineProperty({ writeQueueSize: 0 }, 'bytesWritten', { get: () => this.bytesWritten });
  readonly aborted: string[] = [];
  private readonly start = performance.now();

  constructor(
    slot: Slot,
    private readonly rates: readonly number[],
  ) {
    slot.watch(this as unknown as Socket, (reason, what) => {
      this.aborted.push(`${reason}: ${what}`);
      slot.release();
    });
  }

  get bytesWritten(): number {
    const passed = Math.floor((performance.now() - this.start) / 1000);
    const bytes = Array.from({ length: passed }, (_, second) => this.rates[second % this.rates.length]!);
    // Bytes of earlier responses on the same connection must not count.
    return bytes.reduce((sum, one) => sum + one, 1_000_000);
  }
}

const never = new Promise<never>(() => undefined);

describe('the pace check', () => {
  const SETTINGS = { DOWNLOAD_STALL_SECONDS: 3, DOWNLOAD_MIN_BYTES_PER_SECOND: 100 };

  test.each([0, 1, 99])('aborts a response at %i bytes per second if it holds up the database', async (rate) => {
    const { slot } = request(slotsOf(SETTINGS), ['A']);
    await settled();
    void slot('A').heldUp(never);
    const socket = new FakeSocket(slot('A'), [rate]);
    await seconds(2);
    expect(socket.aborted).toEqual([]);
    await seconds(10);
    expect(socket.aborted).toEqual([expect.stringMatching(/^stall: only \d+ bytes were sent in 3 s/)]);
  });

  test.each([[[100]], [[0, 0, 300]], [[1_000_000, 0, 0, 300, 0, 0, 300]]])(
    'does not abort a response at the minimum rate, however uneven: %j',
    async (rates) => {
      const { slot } = request(slotsOf(SETTINGS), ['A']);
      await settled();
      const socket = new FakeSocket(slot('A'), rates);
      await seconds(20);
      expect(socket.aborted).toEqual([]);
    },
  );

  test.each([
    ['read completely', (slot: Slot) => slot.endReading()],
    ['read ahead of its client', () => undefined],
  ])('lets a response that is %s stall ten times as long, because its client progresses in jumps', async (_, begin) => {
    const { slot } = request(slotsOf(SETTINGS), ['A']);
    await settled();
    const jumps = [1_400_000, ...Array.from({ length: 28 }, () => 0)];
    begin(slot('A'));
    const [socket, stalled] = [new FakeSocket(slot('A'), jumps), new FakeSocket(slot('A'), [0])];
    await seconds(29);
    expect([socket.aborted, stalled.aborted]).toEqual([[], []]);
    await seconds(100);
    expect(stalled.aborted).toEqual([expect.stringMatching(/^stall: only 0 bytes were sent in 30 s/)]);
  });

  test('aborts a fast response that stalls later', async () => {
    const { slot } = request(slotsOf(SETTINGS), ['A']);
    await settled();
    void slot('A').heldUp(never);
    const socket = new FakeSocket(slot('A'), [1_000_000, 1_000_000, 0, 0, 0, 0, 0, 0]);
    await seconds(6);
    expect(socket.aborted).toEqual([expect.stringMatching(/^stall: only \d+ bytes were sent in 3 s/)]);
  });
});

/** Two customers that hold all slots: A holds three, B holds one. */
async function fullSlots(settings: Partial<Settings> = {}, rates: Record<string, number> = {}) {
  const slots = slotsOf({ DOWNLOAD_POOL_SIZE: 4, DOWNLOADS_PER_CUSTOMER: 4, ...settings });
  const { slot } = request(slots, ['A-1', 'A-2', 'A-3', 'B-1']);
  await settled();
  const socketOf = (name: string) => {
    void slot(name).heldUp(never);
    return new FakeSocket(slot(name), [rates[name] ?? 1_000_000]);
  };
  const sockets = Object.fromEntries(['A-1', 'A-2', 'A-3', 'B-1'].map((name) => [name, socketOf(name)]));
  const aborted = () =>
    Object.entries(sockets).flatMap(([name, socket]) => socket.aborted.map((reason) => [name, reason]));
  return { slots, slot, sockets, aborted };
}

describe('responses held up by their clients', () => {
  const OTHERS = 'held-up: another customer waits for the slot, and the client of this response reads the slowest';

  test('continue while no other request waits', async () => {
    const { aborted } = await fullSlots();
    await seconds(100);
    expect(aborted()).toEqual([]);
  });

  test('give way at once to a customer with fewer slots: the slowest response of the customer with the most', async () => {
    const { slots, aborted } = await fullSlots({}, { 'A-2': 900_000, 'B-1': 100 });
    await seconds(10);
    const { admitted } = request(slots, ['C']);
    await settled();
    expect(admitted).toEqual(['C']);
    expect(aborted()).toEqual([['A-2', OTHERS]]);
  });

  test('give way after their progress was measured for five seconds', async () => {
    const { slots, aborted } = await fullSlots();
    const { admitted } = request(slots, ['C']);
    await seconds(4);
    expect([admitted, aborted()]).toEqual([[], []]);
    await seconds(1);
    expect(admitted).toEqual(['C']);
  });

  test.each([
    [999, 1],
    [1000, 0],
  ])(
    'give way below 1000 bytes per second even as the only response of a customer: at %i, %i aborted',
    async (rate, count) => {
      const slots = slotsOf({ DOWNLOAD_POOL_SIZE: 1 });
      const { slot } = request(slots, ['A']);
      await settled();
      void slot('A').heldUp(never);
      const socket = new FakeSocket(slot('A'), [rate]);
      const { admitted } = request(slots, ['B']);
      await seconds(6);
      expect([admitted.length, socket.aborted.length]).toEqual([count, count]);
    },
  );

  test('give way up to the share of the waiting customer, even while aborted responses are still closing', async () => {
    const slots = slotsOf({ DOWNLOAD_POOL_SIZE: 6, DOWNLOADS_PER_CUSTOMER: 3 });
    const names = ['A-1', 'A-2', 'A-3', 'B-1', 'B-2', 'B-3'];
    const { slot } = request(slots, names);
    await settled();
    let aborts = 0;
    for (const name of names) {
      void slot(name).heldUp(never);
      // Closing a response takes time.
      slot(name).watch({ _handle: { bytesWritten: 0, writeQueueSize: 0 } } as unknown as Socket, () => aborts++);
    }
    await seconds(6);
    request(
      slots,
      Array.from({ length: 10 }, (_, index) => `C-${index}`),
    );
    await seconds(3);
    expect(aborts).toBe(3);
  });

  test('do not give way to a customer that has as many slots, or its full share of slots', async () => {
    const { slots, aborted } = await fullSlots({ DOWNLOADS_PER_CUSTOMER: 3 });
    request(slots, ['A-4']);
    await seconds(10);
    expect(aborted()).toEqual([]);
    request(slots, ['B-2']);
    await seconds(1);
    expect(aborted()).toHaveLength(1);
    request(slots, ['B-3']);
    await seconds(10);
    expect(aborted()).toHaveLength(1);
  });

  test('do not include a response that waits for the database', async () => {
    const slots = slotsOf({ DOWNLOAD_POOL_SIZE: 1 });
    const { slot } = request(slots, ['A']);
    await settled();
    await slot('A').heldUp(Promise.resolve());
    const socket = new FakeSocket(slot('A'), [500]);
    const { admitted } = request(slots, ['B']);
    await seconds(10);
    expect([admitted, socket.aborted]).toEqual([[], []]);
  });

  test('give way to a migration', async () => {
    const { aborted } = await fullSlots();
    migrationWaits = true;
    await seconds(1);
    const reason = 'held-up: a migration waits for its snapshot to close';
    expect(aborted()).toEqual(['A-1', 'A-2', 'A-3', 'B-1'].map((name) => [name, reason]));
  });

  test('keep their snapshot for at most ten minutes', async () => {
    const { aborted } = await fullSlots();
    await seconds(600);
    expect(aborted()).toEqual([]);
    await seconds(1);
    expect(aborted()).toHaveLength(4);
    expect(aborted()[0]).toEqual(['A-1', 'held-up: its client kept the database waiting for 600 s']);
  });

  test('give way even without a connection when all slots in flight are taken', async () => {
    const slots = slotsOf({ DOWNLOAD_POOL_SIZE: 1, DOWNLOADS_PER_CUSTOMER: 19 });
    const names = [...Array.from({ length: 19 }, (_, index) => `A-${index}`), 'B-1'];
    const { slot } = request(slots, names, false);
    await settled();
    const sockets = names.map((name) => new FakeSocket(slot(name), [name === 'A-7' ? 500_000 : 1_000_000]));
    await seconds(10);
    const { admitted } = request(slots, ['C'], false);
    await settled();
    expect(admitted).toEqual(['C']);
    expect(sockets.map(({ aborted }) => aborted.length)).toEqual(names.map((name) => Number(name === 'A-7')));
  });
});
