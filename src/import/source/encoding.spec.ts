import iconv from 'iconv-lite';
import { encodingAdvice, encodingProblem } from './encoding.js';

const advice = (text: string, encoding: string) => encodingAdvice(iconv.encode(text, encoding));

test.each([
  ['windows-1252', 'Größe für Öl'],
  ['windows-1250', 'Łódź čřž'],
  ['macroman', 'Schüssel für Öl'],
  ['windows-1251', 'Красный канат'],
  ['windows-1253', 'Κόκκινο σχοινί'],
  ['cp850', 'Größe für Öl'],
  ['cp852', 'Łódź żółta'],
  ['koi8-r', 'Красный канат'],
  ['cp866', 'Красный канат'],
])('the right reading of a cell in %s comes first', (encoding, text) => {
  expect(advice(`A-1,${text},7\n`, encoding)).toMatch(
    new RegExp(`^its first affected cell reads "${text}" in [^;]*${encoding}`),
  );
});

test('two-byte encodings are suggested only for runs of bytes outside ASCII', () => {
  expect(advice('A-1;红色绳子\n', 'gbk')).toContain('"红色绳子" in gbk');
  expect(advice('A-1;Größe\n', 'windows-1252')).not.toContain('gbk');
});

test('the advice shows only the affected cell', () => {
  const line = Buffer.concat([Buffer.from('Größe;"a'), Buffer.from([0xe9]), Buffer.from('b";c\n')]);
  expect(encodingAdvice(line)).toContain('"aéb" in windows-1252');
});

test.each(['utf-8', 'UTF8', 'windows-1250', 'macroman', 'cp1252', 'latin1', 'utf-16', 'shift_jis', 'koi8-r'])(
  '%s is a known encoding',
  (name) => expect(encodingProblem(name)).toBeUndefined(),
);

test.each(['windows-1', 'base64', 'hex', 'constructor', ''])(
  '%j is refused, and the message lists encodings',
  (name) => {
    expect(encodingProblem(name)).toMatch(/^must be a known encoding, not ".*"; use utf-8, windows-1252/);
  },
);
