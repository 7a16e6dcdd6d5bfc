import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { InputFile } from './input-file.js';

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'input-file-'))));
afterAll(() => rmSync(folder, { recursive: true }));

/** The number of files that this process has open. */
const openFiles = () => readdirSync('/dev/fd').length;

const TEXT = 'SKU\n'.repeat(100_000);

test.each([
  ['a file', Buffer.from(TEXT)],
  ['a file of one piece', Buffer.from('SKU\n')],
  ['gzip', gzipSync(TEXT, { level: 0 })],
])('%s is closed if the reader stops early', async (_, content) => {
  const path = join(folder, 'products.csv');
  writeFileSync(path, content);
  const file = await InputFile.at(path);
  const before = openFiles();
  for (let times = 0; times < 3; times++) {
    const bytes = file.bytes();
    expect((await bytes.next()).done).toBe(false);
    await bytes.return(undefined);
  }
  // Streams close their files asynchronously.
  for (let attempt = 0; attempt < 50 && openFiles() > before; attempt++) await sleep(10);
  expect(openFiles()).toBeLessThanOrEqual(before);
});

test('a stream can be read many times, and its temporary file is closed', async () => {
  const before = openFiles();
  const file = await InputFile.from(Readable.from(['S', 'KU\n']), 'standard input');
  for (let times = 0; times < 20; times++) {
    for await (const _ of file.bytes()) break;
    const pieces: Buffer[] = [];
    for await (const piece of file.bytes()) pieces.push(piece);
    expect(Buffer.concat(pieces).toString()).toBe('SKU\n');
  }
  expect(file).toMatchObject({ name: 'standard input', size: 4, position: 4 });
  await file.close();
  expect(openFiles()).toBeLessThanOrEqual(before);
});
