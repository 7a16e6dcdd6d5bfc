import { randomInt } from 'node:crypto';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type Encoding, encoded, ENCODINGS } from './compression.js';
import { csv } from './csv-format.js';
import type { Format, Pieces } from './format.js';
import { jsonArray, jsonLines } from './json-formats.js';

const FORMATS = {
  json: jsonArray,
  lines: jsonLines,
  csv: csv(),
  'csv with mark': csv({ bom: '1' }),
  'csv with semicolons': csv({ delimiter: 'semicolon' }),
  'csv with all parameters': csv({ delimiter: 'semicolon', decimal: 'comma', bom: '1' }),
};
/** The number of elements in each batch. */
const SIZES = { empty: [], 'one piece': [3], 'several pieces': [25, 150, 100, 100] };
const TIMES = 100;

const neverAborted = () => new AbortController().signal;
const element = (index: number) => `{"SKU":"${index}","Text":"${'text '.repeat(index % 30)}"}`;

async function* batchesOf(sizes: readonly number[], separator: string): AsyncGenerator<string> {
  let next = 0;
  for (const size of sizes) {
    await randomPause();
    yield Array.from({ length: size }, () => separator + element(next++)).join('');
  }
}

/** Waits as long as a database or a client may take: no time, one turn of the event loop, or longer. */
async function randomPause(): Promise<void> {
  const turns = randomInt(4);
  if (turns === 1) await setImmediate();
  else if (turns > 1) await sleep(turns - 2);
}

async function bytesOf(pieces: Pieces): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of pieces) {
    all.push(Buffer.from(piece));
    await randomPause();
  }
  return Buffer.concat(all);
}

const KINDS = Object.keys(SIZES).flatMap((size) =>
  ENCODINGS.flatMap((encoding) => Object.keys(FORMATS).map((format) => [size, encoding, format] as const)),
);

test.each(KINDS)(
  'a body (%s, %s, %s) has the same bytes each time, idle and busy (decision 113)',
  async (size, encoding, name) => {
    const format: Format = FORMATS[name as keyof typeof FORMATS];
    const batches = () => batchesOf(SIZES[size as keyof typeof SIZES], format.separator);
    const make = async () => {
      const bytes = await bytesOf(encoded(format.write(batches(), ['SKU', 'Text']), encoding, neverAborted()));
      return bytes.toString('base64');
    };
    const seen = new Set<string>();
    for (let time = 0; time < TIMES; time++) seen.add(await make());
    for (const bytes of await Promise.all(Array.from({ length: TIMES }, make))) seen.add(bytes);
    expect(seen.size).toBe(1);
  },
);

const DECODERS: Record<Encoding, (bytes: Buffer) => Buffer> = {
  br: (bytes) => brotliDecompressSync(bytes),
  gzip: (bytes) => gunzipSync(bytes),
  identity: (bytes) => bytes,
};

/** Lengths around the ends of the compressor's blocks. */
const LENGTHS = [0, 1, 16_383, 16_384, 16_385, 147_455, 147_456, 147_457, 700_000];

describe.each(ENCODINGS)('%s', (encoding) => {
  test.each(LENGTHS)('encodes %i bytes alike, however the body is split', async (length) => {
    const text = Array.from({ length: Math.ceil(length / 8) }, (_, index) => element(index * 37).slice(0, 8)).join('');
    const body = Buffer.from(text.slice(0, length));
    const compress = (nextSize: () => number) => bytesOf(encoded(piecesOf(body, nextSize), encoding, neverAborted()));
    const whole = await compress(() => length);
    expect(DECODERS[encoding](whole).equals(body)).toBe(true);
    for (const longest of [length + 2, length + 2, length + 2, 100_000, 20_000])
      expect((await compress(() => randomInt(1, longest))).equals(whole)).toBe(true);
    // The body may end before or after the compressor has processed the last block.
    for (let time = 0; time < 10; time++) expect((await compress(() => length)).equals(whole)).toBe(true);
  });
});

async function* piecesOf(body: Buffer, nextSize: () => number): Pieces {
  if (!body.length) yield '';
  for (let start = 0, end; start < body.length; start = end) {
    yield body.subarray(start, (end = start + nextSize()));
    await randomPause();
  }
}

async function* failing(): Pieces {
  yield 'x'.repeat(100_000);
  throw new Error('in mid-body');
}

test.each(['gzip', 'br'] as const)('%s rethrows an error of the body and ends', async (encoding) => {
  await expect(bytesOf(encoded(failing(), encoding, neverAborted()))).rejects.toThrow('in mid-body');
});

test.each(['gzip', 'br'] as const)('%s ends its body if its bytes are not read', async (encoding) => {
  let ended = false;
  const endless = async function* () {
    try {
      for (;;) yield Buffer.from(Array.from({ length: 300_000 }, () => randomInt(256)));
    } finally {
      ended = true;
    }
  };
  const bytes = encoded(endless(), encoding, neverAborted());
  await bytes.next();
  await sleep(200);
  await bytes.return(undefined);
  expect(ended).toBe(true);
});
