import { KeyIndex } from './key-index.js';

test('returns and keeps the number of an existing key', () => {
  const index = new KeyIndex();
  expect(index.add('A', 2)).toBeUndefined();
  expect(index.add('B', 3)).toBeUndefined();
  expect(index.add('A', 4)).toBe(2);
  expect(index.get('A')).toBe(2);
  expect(index.get('C')).toBeUndefined();
  expect([index.has('B'), index.has('C'), index.size]).toEqual([true, false, 2]);
});

test('distinguishes keys by each character', () => {
  const keys = ['', 'a', 'A', 'á', 'a\u0301', 'ab', 'a\0b', 'a b', 'b', '😀', '😁', 'x'.repeat(100_000)];
  const index = new KeyIndex();
  expect(keys.map((key, number) => index.add(key, number))).toEqual(keys.map(() => undefined));
  expect(keys.map((key) => index.get(key))).toEqual(keys.map((_, number) => number));
});

test('behaves like a Map for many keys, some of which repeat', () => {
  const index = new KeyIndex();
  const map = new Map<string, number>();
  for (let number = 0; number < 50_000; number++) {
    const key = `SKU-${(number * 7919) % 33_331}\0${number % 3 ? 'é' : ''}`;
    expect(index.add(key, number)).toBe(map.get(key));
    if (!map.has(key)) map.set(key, number);
  }
  expect(index.size).toBe(map.size);
  expect([...index.entries()]).toEqual([...map]);
});
