import { Injectable } from '@nestjs/common';
import { stringify } from 'csv-stringify/sync';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { DatabaseService } from '../database/database.service.js';
import type { Snapshot } from '../database/engine.js';
import type { Field } from '../resource/field.decorator.js';
import { decimalText } from '../resource/decimal-text.js';
import { IMPORT_TABLES, type ImportTable } from './import-tables.js';
import { scanTable } from './table-scan.js';

const BATCH_ROWS = 1000;

/** Writes the whole catalogue as import files, from one snapshot: a copy, or the way to another database. */
@Injectable()
export class ExportService {
  constructor(private readonly database: DatabaseService) {}

  /** Writes every import file into `folder`, which is made where it is missing; files of these names are replaced. */
  async exportFolder(folder: string): Promise<void> {
    await mkdir(folder, { recursive: true });
    const snapshot = await this.database.snapshot();
    try {
      for (const table of IMPORT_TABLES)
        await pipeline(csv(snapshot, table), createWriteStream(join(folder, `${table.name}.csv`)));
    } finally {
      await snapshot.close();
    }
  }
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
  return type === 'decimal' ? decimalText(String(value)) : String(value);
}
