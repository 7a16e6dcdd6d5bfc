// Writes data sets as import files (docs/import-format.md).
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { chunksOf, dataSet } from './data-set.mjs';

/** Writes all files of a data set to a folder. Creates the folder if it is missing. */
export async function writeFiles(size, folder) {
  for (const table of dataSet(size)) await writeFile(table, folder);
}

/** Writes the file of one table as a stream, so memory does not grow with its size. */
export async function writeFile({ name, columns, rows }, folder) {
  await mkdir(folder, { recursive: true });
  await pipeline(Readable.from(csv(columns, rows())), createWriteStream(join(folder, `${name}.csv`)));
}

function* csv(columns, rows) {
  yield line(columns);
  for (const chunk of chunksOf(rows, 500)) yield chunk.map((row) => line(Object.values(row))).join('');
}

function line(values) {
  return `${values.map(cell).join()}\n`;
}

function cell(value) {
  const text = String(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
