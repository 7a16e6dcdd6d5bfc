import type { WriteSession } from '../database/engine.js';
import type { ImportTable } from './import-tables.js';
import { KeyIndex } from './key-index.js';

const LOOKUP_BATCH = 1000;

/** Which rows there are for others to refer to: those of the files, and those that are stored. */
export class KnownKeys {
  private readonly files = new Map<ImportTable, KeyIndex>();
  /** Tables of which what is stored besides the file does not count, since it goes. */
  private readonly replaced = new Set<ImportTable>();
  private readonly unreadable = new Set<ImportTable>();
  /** What was asked of the database: 1 if it is stored, 0 if not. */
  private readonly asked = new Map<ImportTable, KeyIndex>();

  constructor(private readonly session: WriteSession) {}

  /** Announces the keys of a table's file; whoever reads it adds to them. @param replaced whether all others go */
  bring(table: ImportTable, keys: KeyIndex, replaced: boolean): void {
    this.files.set(table, keys);
    if (replaced) this.replaced.add(table);
  }

  /** Notes that the table's file could not be read, so that what it brings cannot be known. */
  giveUp(table: ImportTable): void {
    this.unreadable.add(table);
  }

  /** Those of the keys of a table with a single key column that no row has. */
  async unknown(table: ImportTable, keys: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    if (this.unreadable.has(table)) return new Set();
    const file = this.files.get(table);
    const missing = [...keys].filter((key) => !file?.has(key));
    if (!missing.length || this.replaced.has(table)) return new Set(missing);
    const asked = this.asked.get(table) ?? new KeyIndex();
    this.asked.set(table, asked);
    const fresh = missing.filter((key) => !asked.has(key));
    for (let start = 0; start < fresh.length; start += LOOKUP_BATCH)
      await this.ask(table, fresh.slice(start, start + LOOKUP_BATCH), asked);
    return new Set(missing.filter((key) => !asked.get(key)));
  }

  /** What is wrong with a reference to this key, which is unknown. */
  problem(table: ImportTable, key: string): string {
    return this.replaced.has(table)
      ? `"${key}" is unknown: the new ${table.name} do not hold it, and with --replace the stored ones go`
      : `"${key}" is unknown: it is neither stored nor in the files`;
  }

  private async ask({ name, key }: ImportTable, keys: string[], asked: KeyIndex): Promise<void> {
    const { sql, parameters } = this.session.rowIn(
      key,
      keys.map((one) => [one]),
    );
    const rows = await this.session.query(`SELECT ${key.join()} AS code FROM ${name} WHERE ${sql}`, parameters);
    const stored = new Set(rows.map(({ code }) => String(code)));
    for (const one of keys) asked.add(one, stored.has(one) ? 1 : 0);
  }
}
