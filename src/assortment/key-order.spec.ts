import { isAfter } from './key-order.js';

test.each<[unknown[], unknown[]]>([
  [['B'], ['A']],
  [['AA'], ['A']],
  [['A'], ['']],
  [['a'], ['Z']],
  [['A '], ['A']],
  // A surrogate pair sorts after U+FFFD, although its first code unit is smaller.
  [['\u{1F600}'], ['\uFFFD']],
  [['x\u{1F600}'], ['x\uE000']],
  [
    ['A', '2'],
    ['A', '1'],
  ],
  [
    ['B', '1'],
    ['A', '2'],
  ],
  [
    ['A', 10],
    ['A', 9],
  ],
  [
    ['A', '2027-01-10'],
    ['A', '2027-01-09'],
  ],
  [['A', '1'], ['A']],
])('%j sorts after %j, and not the other way round', (key, other) => {
  expect([isAfter(key, other), isAfter(other, key)]).toEqual([true, false]);
});

test('a key does not sort after itself', () => {
  for (const key of [['A'], [''], ['A', '1'], ['A', 1]]) expect(isAfter(key, key)).toBe(false);
});
