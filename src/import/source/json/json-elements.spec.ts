import { type JsonElement, jsonElements } from './json-elements.js';
import { SourceFault } from '../table-source.js';

const PIECE_SIZES = [1, 2, 3, 7, Infinity];

async function* inPieces(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

interface Reading {
  elements: JsonElement[];
  fault?: SourceFault;
}

async function readPieces(pieces: AsyncIterable<string>): Promise<Reading> {
  const reading: Reading = { elements: [] };
  try {
    for await (const elements of jsonElements(pieces)) reading.elements.push(...elements);
  } catch (fault) {
    if (!(fault instanceof SourceFault)) throw fault;
    reading.fault = fault;
  }
  return reading;
}

/** Reads the text in pieces of several sizes, up to its end or a fault, and expects the same result for all sizes. */
async function read(text: string): Promise<Reading> {
  const readings: Reading[] = [];
  for (const size of PIECE_SIZES) readings.push(await readPieces(inPieces(text, size)));
  for (const reading of readings) expect(reading).toEqual(readings[0]);
  return readings[0]!;
}

/** Elements as `line: text`. */
async function texts(text: string): Promise<string[]> {
  const { elements, fault } = await read(text);
  if (fault) throw fault;
  return elements.map((element) => `${element.line}: ${element.text}`);
}

test.each([
  ['lines', '{"a":1}\n{"b":[{}]}\n', ['1: {"a":1}', '2: {"b":[{}]}']],
  ['lines in CRLF, the last one open', '{"a":1}\r\n\r\n{"b":1}', ['1: {"a":1}', '3: {"b":1}']],
  ['lines in CR', '{"a":1}\r\r{"b":1}', ['1: {"a":1}', '3: {"b":1}']],
  ['values on one line', '{}{} {}\t{}', ['1: {}', '1: {}', '1: {}', '1: {}']],
  ['over several lines', '\n{\n"a":\n1}\n\n{"b"\n:2}', ['2: {\n"a":\n1}', '6: {"b"\n:2}']],
  ['an array', '[{"a":1},{"b":2}]', ['1: {"a":1}', '1: {"b":2}']],
  ['an array over several lines', ' [\n {"a":1}\n,\n\n {"b":\n2} ]\n\n', ['2: {"a":1}', '5: {"b":\n2}']],
  ['an empty array', '[]', []],
  ['an empty array with space', '\n[ \n]\n', []],
  ['other values in lines', '1\n"x"\nnull\n-2.5e3', ['1: 1', '2: "x"', '3: null', '4: -2.5e3']],
  ['other values in an array', '[1,"x", [2] ,true]', ['1: 1', '1: "x"', '1: [2]', '1: true']],
])('splits %s', async (_, text, elements) => {
  expect(await texts(text)).toEqual(elements);
});

test.each([
  '{"a":"}"}',
  '{"a":"]["}',
  '{"a":"\\"}"}',
  '{"a":"\\\\"}',
  '{"a":"\\\\\\"}"}',
  '{"\\"{":"{"}',
  '{"a":"\\u007d😀"}',
  '"{"',
])('brackets and commas in quotes do not end an element: %s', async (element) => {
  expect(await texts(`${element}\n${element}`)).toEqual([`1: ${element}`, `2: ${element}`]);
  expect(await texts(`[${element},${element}]`)).toEqual([`1: ${element}`, `1: ${element}`]);
});

test('keys are counted at every depth, but not within quotes', async () => {
  const { elements } = await read('{"a":{"b":":"},"c:":[{"d":1},{"d":2}]}\n{}\n":"');
  expect(elements.map(({ keys }) => keys)).toEqual([5, 0, 0]);
});

test.each([
  ['an empty file', '', [], 1, 'the file is empty'],
  ['blank lines', '\n\n', [], 3, 'the file is empty'],
  ['a file that ends in an object', '{"a":1}\n{"b":\n', ['{"a":1}'], 2, 'ends within the element that starts here'],
  ['a file that ends in quotes', '{"a":1}\n\n{"b":"', ['{"a":1}'], 3, 'ends within the element'],
  ['a file that ends after a backslash', '{"a":1}\n{"b":"\\', ['{"a":1}'], 2, 'ends within the element'],
  ['an array that ends in an element', '[{"a":1},\n{"b"', ['{"a":1}'], 2, 'ends within the element'],
  ['an array that ends after an element', '[{"a":1}\n', ['{"a":1}'], 2, 'ends within its array'],
  ['an array that ends after a comma', '[{"a":1},', ['{"a":1}'], 1, 'ends within its array'],
  ['an array that ends after its bracket', '[', [], 1, 'ends within its array'],
  ['a missing comma', '[{"a":1}\n{"b":1}]', ['{"a":1}'], 2, 'expected "," or "]", but found "{"'],
  ['an extra comma', '[{"a":1},\n]', ['{"a":1}'], 2, 'expected an element, but found "]"'],
  ['a comma at the start', '[,{"a":1}]', [], 1, 'expected an element or "]", but found ","'],
  ['two commas', '[1,,2]', ['1'], 1, 'expected an element, but found ","'],
  [
    'commas between lines',
    '{"a":1},\n{"b":1}',
    ['{"a":1}'],
    1,
    'expected a value without a comma before it, but found ","',
  ],
  ['an extra bracket', '{"a":1}}\n', ['{"a":1}'], 1, 'but found "}"'],
  ['a bracket before any value', '\n]', [], 2, 'expected a value, but found "]"'],
  ['text after the array', '[1]\n\n{"a":1}', ['1'], 3, 'expected the end of the file, but found "{"'],
  ['a second array', '[1]\n[2]', ['1'], 2, 'expected the end of the file, but found "["'],
  ['an unclosed quote', '{"a":1}\n{"b":"x}\n{"c":1}\n', ['{"a":1}'], 2, 'not closed on its line'],
  ['an escaped line break', '{"a":1}\n{"b":"x\\\ny"}\n', ['{"a":1}'], 2, 'not closed on its line'],
  ['endless brackets', `1\n${'['.repeat(65)}`, ['1'], 2, 'more than 64 deep'],
])('%s is a fault at its line, after all elements before it', async (_, text, before, line, message) => {
  const { elements, fault } = await read(text);
  expect(elements.map((element) => element.text)).toEqual(before);
  expect(fault).toMatchObject({ line, message: expect.stringContaining(message) });
});

test('brackets nested 64 deep are read', async () => {
  const deep = '['.repeat(63) + ']'.repeat(63);
  expect(await texts(`[${deep}]`)).toEqual([`1: ${deep}`]);
});

test('an endless element is a fault before it fills the memory', async () => {
  let megabytes = 0;
  async function* endless() {
    yield '{"a":1}\n{"b":"';
    for (; megabytes < 200; megabytes++) yield 'x'.repeat(1024 * 1024);
  }
  const { elements, fault } = await readPieces(endless());
  expect(elements).toHaveLength(1);
  expect(fault).toMatchObject({ line: 2, message: expect.stringContaining('more than 4 MB') });
  expect(megabytes).toBeLessThan(6);
});

test('the longest texts of a product are read with every character escaped', async () => {
  const element = `{${Array(7)
    .fill(`"a":"${'\\u0022'.repeat(65_535)}"`)
    .join()}}`;
  async function* once() {
    yield element;
  }
  const { elements, fault } = await readPieces(once());
  expect(fault).toBeUndefined();
  expect(elements[0]!.text.length).toBe(element.length);
});
