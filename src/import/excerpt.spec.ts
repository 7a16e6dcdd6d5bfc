import { excerpt, visible, visibleLines } from './excerpt.js';

test('an excerpt has one line and ends with a whole character', () => {
  expect(excerpt('a\r\n b')).toBe('a b');
  expect(excerpt('x'.repeat(40))).toBe('x'.repeat(40));
  expect(excerpt(`${'x'.repeat(39)}😀`)).toBe(`${'x'.repeat(39)}…`);
});

test.each([
  ['a colour', '\u001B[31mred', '\\u{1b}[31mred'],
  ['a bell', '\u0007', '\\u{7}'],
  ['a one-character escape', '\u009B31m', '\\u{9b}31m'],
  ['a right-to-left override', 'gpj.\u202Eexe', 'gpj.\\u{202e}exe'],
  ['an isolate', '\u2066a\u2069', '\\u{2066}a\\u{2069}'],
  ['a tab and line breaks', 'a\tb\r\nc', 'a\\u{9}b\\u{d}\\u{a}c'],
  ['line breaks of Unicode', 'a\u2028b\u2029c', 'a\\u{2028}b\\u{2029}c'],
  ['a lone surrogate', 'a\uD83D', 'a\\u{d83d}'],
  ['ordinary text unchanged', 'Grün 😀 שלום', 'Grün 😀 שלום'],
])('visible() shows %s', (_, text, shown) => {
  expect(visible(text)).toBe(shown);
});

test('visibleLines() keeps line breaks', () => {
  expect(visibleLines('a\u0007\nb')).toBe('a\\u{7}\nb');
});
