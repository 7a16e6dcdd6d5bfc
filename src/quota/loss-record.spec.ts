import { LossRecord } from './loss-record.js';

const MINUTE = 60_000;

let now = 0;
beforeEach(() => void jest.spyOn(performance, 'now').mockImplementation(() => now));
afterEach(() => jest.restoreAllMocks());

test('a loss is recent while it lasts and for a minute after it ended (decision 185)', () => {
  const record = new LossRecord();
  expect([record.isLost, record.isRecent]).toEqual([false, false]);
  record.begin();
  now += 10 * MINUTE;
  expect([record.isLost, record.isRecent]).toEqual([true, true]);
  record.end();
  expect([record.isLost, record.isRecent]).toEqual([false, true]);
  now += MINUTE - 1;
  expect(record.isRecent).toBe(true);
  now += 1;
  expect(record.isRecent).toBe(false);
});

test('each scrape reads a recent loss if the storage is lost for 250 ms twice a minute (decision 185)', () => {
  const record = new LossRecord();
  const scrapes = Array.from({ length: 40 }, (_, scrape) => {
    if (scrape % 2 === 0) {
      record.begin();
      now += 250;
      record.end();
    }
    now += 15_000;
    return record.isRecent;
  });
  expect(scrapes).not.toContain(false);
});
