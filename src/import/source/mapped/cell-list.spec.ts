import { CellError } from '../../cell.js';
import { splitList, valueOfKey } from './cell-list.js';
import type { ListRule } from '../map/mapping-rule.js';

const list = (more: Partial<ListRule> = {}): ListRule => ({
  split: ',',
  escape: '',
  quotes: false,
  take: 'each',
  ...more,
});
const QUOTES = list({ quotes: true });
const ESCAPE = list({ escape: '\\' });

test.each([
  ['', list(), []],
  ['  ', list(), []],
  ['a', list(), ['a']],
  ['a, b ,c', list(), ['a', 'b', 'c']],
  ['a,,b,', list(), ['a', '', 'b', '']],
  ['a > b > c', list({ split: ' > ' }), ['a', 'b', 'c']],
  ['a,"b,c"', list(), ['a', '"b', 'c"']],
  ['a,"b,c",d', QUOTES, ['a', 'b,c', 'd']],
  ['"a ""b"", c",d', QUOTES, ['a "b", c', 'd']],
  ['k="a"|"b,c",d', QUOTES, ['k=a|b,c', 'd']],
  ['"",a', QUOTES, ['', 'a']],
  ['a||"b||c"', list({ split: '||', quotes: true }), ['a', 'b||c']],
  ['a\\, b, c', ESCAPE, ['a, b', 'c']],
  ['a\\,b\\,c,d\\', ESCAPE, ['a,b,c', 'd\\']],
  ['C:\\x,b', ESCAPE, ['C:\\x', 'b']],
  [',\\,', ESCAPE, ['', ',']],
])('splits %j: %#', (cell, rule, elements) => {
  expect(splitList(cell, rule)).toEqual(elements);
});

test.each([
  ['color=Black,size=L', list(), 'Black'],
  ['size=L', list(), ''],
  ['', list(), ''],
  ['size=L,color = Night blue ', list(), 'Night blue'],
  ['color=a=b', list(), 'a=b'],
  ['color=Black, matt,size=L', list(), 'Black, matt'],
  ['size=L, color=x,color=Black', list(), 'x'],
  ['stray,color=Black', list(), 'Black'],
  ['my color=Red,color=Black', list(), 'Black'],
  ['size="L, long",color="Black, ""matt"""', QUOTES, 'Black, "matt"'],
])('finds the color in %j: %#', (cell, rule, value) => {
  expect(valueOfKey(cell, 'color', rule)).toBe(value);
});

test('an unclosed quote is an error', () => {
  expect(() => splitList('a,"b,c', QUOTES)).toThrow(CellError);
  expect(() => valueOfKey('color="b,c', 'color', QUOTES)).toThrow('never closed');
});
