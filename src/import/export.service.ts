import { Injectable } from '@nestjs/common';
import { stringify } from 'csv-stringify/sync';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { DatabaseService } from '../database/database.service.js';
import type { Snapshot } from '../database/engine.js';
import { dayOrNull } from '../resource/calendar-day.js';
import type { Field } from '../resource/field.decorator.js';
import { decimalText } from '../resource/decimal-text.js';
import { IMPORT_TABLES, type ImportTable } from './import-tables.js';
import { scanTable } from './table-scan.js';

const BATCH_ROWS = 1000;
/** A folder of files that are not complete yet, within the folder of the export. No import reads it. */
const INCOMPLETE = '.incomplete-export-';

/** Writes the whole catalogue as import files, from one snapshot: a copy, or the way to another database. */
@Injectable()
export class ExportService {
  constructor(private readonly database: DatabaseService) {}

  /**
   * Writes every import file into `folder`, which is made if it is missing. Files of these names are replaced once all of
   * the new ones are complete.
   * @throws if a file cannot be written; then the folder holds the files that it held before
   */
  async exportFolder(folder: string): Promise<void> {
    await mkdir(folder, { recursive: true });
    const aside = await mkdtemp(join(folder, INCOMPLETE)).catch((error) => fail(folder, error));
    try {
      await this.write(aside).catch((error) => fail(folder, error));
      for (const file of IMPORT_TABLES.map(fileOf)) await rename(join(aside, file), join(folder, file));
    } finally {
      await rm(aside, { recursive: true, force: true });
    }
  }

  private async write(folder: string): Promise<void> {
    const snapshot = await this.database.snapshot();
    try {
      for (const table of IMPORT_TABLES)
        // `flush` writes to the disk before the file is closed. Only then do some file systems report that they are full.
        await pipeline(csv(snapshot, table), createWriteStream(join(folder, fileOf(table)), { flush: true }));
    } finally {
      await snapshot.close();
    }
  }
}

function fileOf({ name }: ImportTable): string {
  return `${name}.csv`;
}

function fail(folder: string, cause: Error): never {
  throw new Error(`nothing was exported, and the files in ${folder} are unchanged: ${cause.message}`, { cause });
}

async function* csv(snapshot: Snapshot, table: ImportTable): AsyncGenerator<string> {
  const names = table.columns.map(({ name }) => name);
  yield stringify([names]);
  for await (const rows of scanTable(snapshot.query, table, names, BATCH_ROWS))
    yield stringify(rows.map((row) => table.columns.map((column) => cell(row[column.name], column))));
}

function cell(value: unknown, { type }: Field): string {
  if (value === null) return '';
  if (type === 'boolean') return value ? 'true' : 'false';
  if (type === 'date') return dayOrNull(value) ?? '';
  return type === 'decimal' ? decimalText(String(value)) : String(value);
}
