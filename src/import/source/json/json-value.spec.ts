import { isObject, parseElement } from './json-value.js';
import { SourceFault } from '../table-source.js';

/** Parses a text that starts on line 10. By default, the number of its keys is that of a valid text. */
function parse(text: string, keys = text.match(/":/g)?.length ?? 0): unknown {
  return parseElement({ line: 10, text, keys });
}

test.each([
  '12.50',
  '-0.0001',
  '99999999999999.9999',
  '123456789012345678901234567890',
  '0.1234567890123456789',
  '12.3400000000000000000000001',
  '1e3',
  '1.5E-3',
  '-12e+4',
  '0.0000001',
  '-0.00000012',
])('the number %s keeps its value', (number) => {
  const { a, b } = parse(`{"a":${number},"b":[ ${number}]}`) as { a: unknown; b: unknown[] };
  // The parser may drop a trailing zero.
  const written = number.replace(/0$/, '');
  expect([number, written]).toContain(String(a));
  expect([number, written]).toContain(String(b[0]));
});

test('a number is not an object', () => {
  const { a, b } = parse('{"a":1e3,"b":{}}') as Record<string, unknown>;
  expect(isObject(a)).toBe(false);
  expect(isObject(b)).toBe(true);
  expect(isObject([])).toBe(false);
  expect(isObject(null)).toBe(false);
});

test('text that looks like a number stays text', () => {
  expect(parse('{"a":", 1e3","b":"[1234567890123456"}')).toEqual({ a: ', 1e3', b: '[1234567890123456' });
});

test.each([
  ['{"a":1,\n"b"}', 11, "Colon ':' expected"],
  ['{"a":1\n\r\n,}', 12, 'key expected'],
  ["{'a':1}", 10, 'key'],
  ['{"a":01}', 10, ''],
  ['{"a":+1}', 10, ''],
  ['{"a":.5}', 10, ''],
  ['{"a":NaN}', 10, ''],
  ['{"a":undefined}', 10, ''],
  ['{"a":1e}', 10, ''],
  ['{"a":[1 2]}', 10, 'Comma'],
  ['{"a":[1,]}', 10, ''],
  ['{"a":"\\x"}', 10, 'escape'],
  ['{"a":"\\u12"}', 10, 'unicode'],
  ['{"a":"\t"}', 10, ''],
  ['{"a":1]', 10, ''],
  ['truefalse', 10, ''],
])('%j is refused with its line', (text, line, message) => {
  let fault: unknown;
  try {
    parse(text);
  } catch (error) {
    fault = error;
  }
  expect(fault).toBeInstanceOf(SourceFault);
  expect(fault).toMatchObject({ line, message: expect.stringMatching(`^this is not valid JSON: .*${message}`) });
  expect((fault as Error).message).not.toContain('position');
});

test.each([
  ['{"a":1,\n"b":2,\n"a":2}', 12, 'the key "a" occurs twice'],
  ['{"a":{"b":1,"b":2}}', 10, 'the key "b" occurs twice'],
  ['{"a":1e3,"a":2}', 10, 'the key "a" occurs twice'],
  ['{"a":1,"a":1}', 10, 'a key twice with the same value'],
  ['{"a":[{"b":"x","b":"x"}]}', 10, 'a key twice with the same value'],
  ['{"__proto__":1,"__proto__":2}', 10, 'the key "__proto__" occurs twice'],
])('a repeated key is a fault: %s', (text, line, message) => {
  const parsing = () => parse(text);
  expect(parsing).toThrow(SourceFault);
  expect(parsing).toThrow(message);
  expect(() => parse(text)).toThrow(expect.objectContaining({ line }));
});

test.each(['{"__proto__":{"a":1}}', '{"constructor":1e3}', '{"":1}'])('keys of any name are preserved: %s', (text) => {
  expect(Object.keys(parse(text) as object)).toEqual(Object.keys(JSON.parse(text) as object));
});
