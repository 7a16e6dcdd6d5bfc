import { ageProblem } from './file-age.js';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 10, 28, 12);
const problem = (age: number) => ageProblem(NOW - age, 6 * HOUR, NOW);

describe('ageProblem', () => {
  test.each([0, 1, 5.9 * HOUR, 6 * HOUR, -HOUR, -6 * HOUR])('accepts a file that is %d ms old', (age) => {
    expect(problem(age)).toBeUndefined();
  });

  test('refuses an older file and names its age, its time and the limit', () => {
    expect(problem(30 * HOUR)).toBe(
      'the file was last modified 30 h ago, at 2026-11-27T06:00:00.000Z, and --max-age allows 6 h; deliver a new file',
    );
  });

  test.each([
    [6 * HOUR + 1, 6 * HOUR, '6.1 h ago', 'allows 6 h'],
    [90_000, 60_000, '1.5 min ago', 'allows 1 min'],
    [60_001, 60_000, '1.1 min ago', 'allows 1 min'],
    [310_000, 300_000, '5.2 min ago', 'allows 5 min'],
    [-90_000, 60_000, '1.5 min in the future', 'allows 1 min'],
    [2 * HOUR, 1.5 * HOUR, '2 h ago', 'allows 90 min'],
  ])('shows an age of %d ms and a limit of %d ms as different durations', (age, limit, ...texts) => {
    for (const text of texts) expect(ageProblem(NOW - age, limit, NOW)).toContain(text);
  });

  test('refuses a file dated in the far future, which would count as new until then', () => {
    expect(problem(-24 * HOUR)).toBe(
      'the file is dated 2026-11-29T12:00:00.000Z, 24 h in the future; check the clock of the system that wrote it (--max-age allows 6 h)',
    );
  });

  test('refuses input without a modification time', () => {
    expect(ageProblem(undefined, 6 * HOUR, NOW)).toContain('it has no modification time');
  });
});
