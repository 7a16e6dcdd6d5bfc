import type { DatabaseService } from '../database/database.service.js';
import type { Query } from '../database/query.js';
import { tableOf } from '../resource/columns.js';
import { columnsOf, type Resource } from '../resource/field.decorator.js';
import type { CellValue } from './cell.js';

/** A row to be stored, with its values in the order of the entity's columns. */
export type StoredRow = readonly CellValue[];

const BATCH_ROWS = 500;
/** Well under the smallest `max_allowed_packet` that servers come with (16 MiB). */
const BATCH_CHARACTERS = 1_000_000;

/** Collects rows and writes them in batches, new ones and those whose key is there already alike. */
export class Upsert {
  private rows: StoredRow[] = [];
  private characters = 0;
  private readonly insert: string;
  private readonly placeholders: string;
  private readonly onConflict: string;

  constructor(
    private readonly query: Query,
    entity: Resource,
    database: Pick<DatabaseService, 'upsertClause'>,
  ) {
    const columns = columnsOf(entity);
    const names = columns.map(({ name }) => name);
    const keys = columns.filter(({ primary }) => primary).map(({ name }) => name);
    this.insert = `INSERT INTO ${tableOf(entity)} (${names.join()}) VALUES `;
    this.placeholders = `(${names.map(() => '?').join()})`;
    this.onConflict = database.upsertClause(keys, names);
  }

  async add(row: StoredRow): Promise<void> {
    this.rows.push(row);
    for (const value of row) this.characters += String(value).length;
    if (this.rows.length >= BATCH_ROWS || this.characters >= BATCH_CHARACTERS) await this.flush();
  }

  /** Writes what is collected. */
  async flush(): Promise<void> {
    if (!this.rows.length) return;
    const values = this.rows.map(() => this.placeholders).join();
    await this.query(this.insert + values + this.onConflict, this.rows.flat());
    this.rows = [];
    this.characters = 0;
  }
}
