import { setTimeout as sleep } from 'node:timers/promises';
import { withDeadline } from './deadline.js';

const MS = 10;
const later = <T>(result: T) => sleep(3 * MS, result);
const late = async (): Promise<never> => {
  await sleep(3 * MS);
  throw new Error('failed late');
};

const unhandled = jest.fn();
beforeAll(() => void process.on('unhandledRejection', unhandled));
afterAll(() => void process.off('unhandledRejection', unhandled));

test('returns what the work returns, and leaves no timer', async () => {
  const clear = jest.spyOn(globalThis, 'clearTimeout');
  await expect(withDeadline(Promise.resolve(1), MS, 'late')).resolves.toBe(1);
  await expect(withDeadline(Promise.reject(new Error('failed')), MS, 'late')).rejects.toThrow('failed');
  expect(clear).toHaveBeenCalledTimes(2);
  clear.mockRestore();
});

test('a result after the deadline goes to onLate', async () => {
  const onLate = jest.fn(async () => undefined);
  await expect(withDeadline(later('connection'), MS, 'late', onLate)).rejects.toThrow('late');
  expect(onLate).not.toHaveBeenCalled();
  await later(undefined);
  expect(onLate.mock.calls).toEqual([['connection']]);
});

test.each([
  ['rejects', () => Promise.reject(new Error('cannot release'))],
  [
    'throws',
    () => {
      throw new Error('cannot release');
    },
  ],
])('nothing follows if onLate %s', async (_case, onLate) => {
  await expect(withDeadline(later(1), MS, 'late', onLate)).rejects.toThrow('late');
  await later(undefined);
  expect(unhandled).not.toHaveBeenCalled();
});

test('nothing follows if the work fails after the deadline', async () => {
  await expect(withDeadline(late(), MS, 'late')).rejects.toThrow(/^late$/);
  await later(undefined);
  expect(unhandled).not.toHaveBeenCalled();
});
