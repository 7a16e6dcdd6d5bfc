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
])('of the readings of a cell in %s the right one comes first', (encoding, text) => {
  expect(advice(`A-1,${text},7\n`, encoding)).toMatch(
    new RegExp(`^its first affected cell is "${text}" in [^;]*${encoding}`),
  );
});

test('readings in two-byte encodings are shown where there are runs of such bytes', () => {
  expect(advice('A-1;红色绳子\n', 'gbk')).toContain('"红色绳子" in gbk');
  expect(advice('A-1;Größe\n', 'windows-1252')).not.toContain('gbk');
});

test('only the affected cell is shown, and not the valid letters of other cells', () => {
  const line = Buffer.concat([Buffer.from('Größe;"a'), Buffer.from([0xe9]), Buffer.from('b";c\n')]);
  expect(encodingAdvice(line)).toContain('"aéb" in windows-1252');
});

test.each(['utf-8', 'UTF8', 'windows-1250', 'macroman', 'cp1252', 'latin1', 'utf-16', 'shift_jis', 'koi8-r'])(
  '%s is an encoding',
  (name) => expect(encodingProblem(name)).toBeUndefined(),
);

test.each(['windows-1', 'base64', 'hex', 'constructor', ''])('%j is none, and the message names some', (name) => {
  expect(encodingProblem(name)).toMatch(/^has to be an encoding, and ".*" is none; write utf-8, windows-1252/);
});
