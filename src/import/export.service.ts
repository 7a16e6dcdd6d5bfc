import { Injectable } from '@nestjs/common';
import { stringify } from 'csv-stringify/sync';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { DatabaseService } from '../database/database.service.js';
import type { Snapshot } from '../database/engine.js';
import { cellText } from './cell.js';
import { IMPORT_TABLES, type ImportTable } from './import-tables.js';
import { scanTable } from './table-scan.js';

const BATCH_ROWS = 1000;
/** Name prefix of the folder for incomplete files, inside the export folder. No import reads it. */
const INCOMPLETE = '.incomplete-export-';
/** An export that has not written a file for this long was killed. In milliseconds. */
const ABANDONED_MS = 86_400_000;

/** Writes the whole catalogue as import files from one snapshot, as a backup or to move it to another database. */
@Injectable()
export class ExportService {
  constructor(private readonly database: DatabaseService) {}

  /**
   * Writes every import file into `folder` and creates the folder if it is missing. Replaces existing files of these
   * names once all new files are complete.
   * @throws if a file cannot be written; the message states whether the files in the folder are unchanged
   */
  async exportFolder(folder: string): Promise<void> {
    const incomplete = await prepare(folder).catch((error) => fail(folder, error));
    try {
      await this.write(incomplete).catch((error) => fail(folder, error));
      await publish(incomplete, folder);
    } finally {
      await rm(incomplete, { recursive: true, force: true });
    }
  }

  private async write(folder: string): Promise<void> {
    const snapshot = await this.database.snapshot();
    try {
      for (const table of IMPORT_TABLES)
        // `flush` writes to the disk before the file is closed. Some file systems report only then that they are full.
        await pipeline(csv(snapshot, table), createWriteStream(join(folder, fileOf(table)), { flush: true }));
    } finally {
      await snapshot.close();
    }
  }
}

function fileOf({ name }: ImportTable): string {
  return `${name}.csv`;
}

/** Creates a folder for the new files. @returns its path @throws if the new files could not replace the old ones */
async function prepare(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const names = await readdir(folder);
  for (const name of names.filter((one) => one.startsWith(INCOMPLETE))) await removeAbandoned(join(folder, name));
  for (const file of IMPORT_TABLES.map(fileOf).filter((one) => names.includes(one)))
    if ((await stat(join(folder, file))).isDirectory()) throw new Error(`${file} is a folder; rename it`);
  return mkdtemp(join(folder, INCOMPLETE));
}

async function removeAbandoned(incomplete: string): Promise<void> {
  if (Date.now() - (await stat(incomplete)).mtimeMs > ABANDONED_MS)
    await rm(incomplete, { recursive: true, force: true });
}

async function publish(incomplete: string, folder: string): Promise<void> {
  try {
    for (const file of IMPORT_TABLES.map(fileOf)) await rename(join(incomplete, file), join(folder, file));
  } catch (cause) {
    const { message } = cause as Error;
    throw new Error(`the files in ${folder} are not all from the same export; run it again: ${message}`, { cause });
  }
}

function fail(folder: string, cause: Error): never {
  throw new Error(`nothing was exported, and the files in ${folder} are unchanged: ${cause.message}`, { cause });
}

async function* csv(snapshot: Snapshot, table: ImportTable): AsyncGenerator<string> {
  const names = table.columns.map(({ name }) => name);
  yield stringify([names]);
  for await (const rows of scanTable(snapshot.query, table, names, BATCH_ROWS))
    yield stringify(rows.map((row) => table.columns.map((column) => cellText(row[column.name], column))));
}
