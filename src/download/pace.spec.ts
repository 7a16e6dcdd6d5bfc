import type { Socket } from 'node:net';
import { watchPace } from './pace.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const LIMITS = { window: 3, bytesPerSecond: 100, most: 1000 };

/** Lets seconds pass in each of which so many bytes leave. @returns after how many the watch complained, and of what */
function watch(perSecond: readonly number[], limits = LIMITS): { second: number; why: string; what: string }[] {
  // Bytes of answers before this one on the same connection count for nothing.
  const socket = { bytesWritten: 1_000_000, writableLength: 0 };
  const complaints: { second: number; why: string; what: string }[] = [];
  let second = 0;
  const unwatch = watchPace(socket as Socket, limits, (why, what) => complaints.push({ second, why, what }));
  for (const bytes of perSecond) {
    second++;
    socket.bytesWritten += bytes;
    jest.advanceTimersByTime(1000);
  }
  unwatch();
  expect(jest.getTimerCount()).toBe(0);
  return complaints;
}

const seconds = (count: number, bytes: number) => Array.from({ length: count }, () => bytes);

test('a client that takes nothing, or a byte a second, is told once, after the window', () => {
  for (const bytes of [0, 1, 99])
    expect(watch(seconds(10, bytes))).toEqual([
      { second: 3, why: 'stall', what: 'its client took less than 100 bytes/s for 3 s' },
    ]);
});

test('a client at the least rate is fair, however unevenly it takes', () => {
  expect(watch(seconds(20, 100))).toEqual([]);
  expect(watch([0, 0, 300, 0, 0, 300, 0, 0, 300])).toEqual([]);
});

test('a fast beginning buys no stalling later', () => {
  expect(watch([1_000_000, 1_000_000, 0, 0, 0, 0])).toMatchObject([{ second: 5 }]);
});

test('who takes too long in all is told, however fast', () => {
  expect(watch(seconds(10, 1_000_000), { ...LIMITS, most: 5 })).toEqual([
    { second: 5, why: 'deadline', what: 'it took longer than 5 s' },
  ]);
});

test('after the end nothing is told', () => {
  const told = jest.fn();
  watchPace({ bytesWritten: 0, writableLength: 0 } as Socket, LIMITS, told)();
  jest.advanceTimersByTime(60_000);
  expect(told).not.toHaveBeenCalled();
});
