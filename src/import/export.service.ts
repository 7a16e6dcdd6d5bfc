import { Injectable } from '@nestjs/common';
import { stringify } from 'csv-stringify/sync';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Row } from '../database/query.js';
import { DatabaseService } from '../database/database.service.js';
import type { Snapshot } from '../database/engine.js';
import { selectColumns, tableOf } from '../resource/columns.js';
import { columnsOf, type Field, type Resource } from '../resource/field.decorator.js';
import { decimalText } from '../resource/decimal-text.js';
import { IMPORT_FILES } from './import-files.js';

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
      for (const { name, entity } of IMPORT_FILES)
        await pipeline(csv(snapshot, entity), createWriteStream(join(folder, name)));
    } finally {
      await snapshot.close();
    }
  }
}

async function* csv(snapshot: Snapshot, entity: Resource): AsyncGenerator<string> {
  const columns = columnsOf(entity);
  const keys = columns.filter(({ primary }) => primary).map(({ name }) => name);
  // Spelt out: MySQL reads no range of an index for (a, b) > (?, ?).
  const behind = keys.map((key, index) => [...keys.slice(0, index).map((equal) => `${equal} = ?`), `${key} > ?`]);
  const sql = `SELECT ${selectColumns(entity)} FROM ${tableOf(entity)}
    WHERE ${behind.map((terms) => `(${terms.join(' AND ')})`).join(' OR ')} ORDER BY ${keys.join()} LIMIT ${BATCH_ROWS}`;
  yield stringify([columns.map(({ name }) => name)]);
  let rows: Row[];
  let last: unknown[] = keys.map(() => '');
  do {
    rows = await snapshot.query(
      sql,
      keys.flatMap((_, index) => last.slice(0, index + 1)),
    );
    yield stringify(rows.map((row) => columns.map((column) => cell(row[column.name], column))));
    last = keys.map((key) => rows.at(-1)?.[key]);
  } while (rows.length === BATCH_ROWS);
}

function cell(value: unknown, { type }: Field): string {
  if (value === null) return '';
  if (type === 'boolean') return value ? 'true' : 'false';
  return type === 'decimal' ? decimalText(String(value)) : String(value);
}
