import type { WriteSession } from '../database/engine.js';
import type { ImportTable } from './import-tables.js';
import { KeyIndex } from './key-index.js';

const LOOKUP_BATCH = 1000;

/** The keys that rows may reference, in the files and in the database. */
export class KnownKeys {
  private readonly files = new Map<ImportTable, KeyIndex>();
  /** Tables whose stored rows do not count, because those missing from the file are removed. */
  private readonly replaced = new Set<ImportTable>();
  private readonly unreadable = new Set<ImportTable>();
  /** Results of database lookups: 1 if the key is stored, 0 if not. */
  private readonly lookups = new Map<ImportTable, KeyIndex>();

  constructor(private readonly session: WriteSession) {}

  /**
   * Registers the keys of a table's file. The reader of the file fills `keys`.
   * @param replaced whether the import removes stored rows that are not in the file
   */
  addFile(table: ImportTable, keys: KeyIndex, replaced: boolean): void {
    this.files.set(table, keys);
    if (replaced) this.replaced.add(table);
  }

  /** Records that the file of the table could not be read. Then no key of the table counts as unknown. */
  markUnreadable(table: ImportTable): void {
    this.unreadable.add(table);
  }

  /** The given keys that exist neither in the file nor in the database. The table has a single key column. */
  async unknown(table: ImportTable, keys: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    if (this.unreadable.has(table)) return new Set();
    const file = this.files.get(table);
    const missing = [...keys].filter((key) => !file?.has(key));
    if (!missing.length || this.replaced.has(table)) return new Set(missing);
    const lookups = this.lookups.get(table) ?? new KeyIndex();
    this.lookups.set(table, lookups);
    const fresh = missing.filter((key) => !lookups.has(key));
    for (let start = 0; start < fresh.length; start += LOOKUP_BATCH)
      await this.lookUp(table, fresh.slice(start, start + LOOKUP_BATCH), lookups);
    return new Set(missing.filter((key) => !lookups.get(key)));
  }

  /** The message for a reference to an unknown key. */
  problem(table: ImportTable, key: string): string {
    return this.replaced.has(table)
      ? `"${key}" is unknown: it is not in the new ${table.name}, and --replace removes the stored ones`
      : `"${key}" is unknown: it is neither stored nor in the files`;
  }

  private async lookUp({ name, key }: ImportTable, keys: string[], lookups: KeyIndex): Promise<void> {
    const { sql, parameters } = this.session.rowIn(
      key,
      keys.map((one) => [one]),
    );
    const rows = await this.session.query(`SELECT ${key.join()} AS code FROM ${name} WHERE ${sql}`, parameters);
    const stored = new Set(rows.map(({ code }) => String(code)));
    for (const one of keys) lookups.add(one, stored.has(one) ? 1 : 0);
  }
}
