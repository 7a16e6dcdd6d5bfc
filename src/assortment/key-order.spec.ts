import { isBehind } from './key-order.js';

test.each<[unknown[], unknown[]]>([
  [['B'], ['A']],
  [['AA'], ['A']],
  [['A'], ['']],
  [['a'], ['Z']],
  [['A '], ['A']],
  // A code point of two halves stands behind all of one, although its first half is a smaller number.
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
])('%j stands behind %j, and not the other way round', (key, other) => {
  expect([isBehind(key, other), isBehind(other, key)]).toEqual([true, false]);
});

test('no key stands behind itself', () => {
  for (const key of [['A'], [''], ['A', '1'], ['A', 1]]) expect(isBehind(key, key)).toBe(false);
});
