import type { WriteSession } from '../database/engine.js';
import { rowIn } from '../database/server-sql.js';
import { Warehouse } from '../stock/warehouse.entity.js';
import type { ContentChanges } from './content-changes.js';
import { importTableOf } from './import-tables.js';
import { TableRows } from './table-rows.js';

const warehouses = importTableOf(Warehouse)!;

/** A table with these keys. */
class FakeTable {
  /** The kind of each statement, and its number of rows. */
  readonly statements: [kind: 'range' | 'names', rows: number][] = [];
  private readonly rows: TableRows;

  /** @param isInRange compares texts as the database does */
  constructor(
    stored: readonly string[],
    isInRange = (code: string, first: string, last: string) => code >= first && code <= last,
  ) {
    const query = async (sql: string, parameters: readonly unknown[] = []) => {
      const [first, last] = parameters as string[];
      const isRange = sql.includes('>=');
      const found = stored
        .filter((code) => (isRange ? isInRange(code, first!, last!) : parameters.includes(code)))
        .slice(0, Number(/LIMIT (\d+)/.exec(sql)?.[1] ?? Infinity));
      this.statements.push([isRange ? 'range' : 'names', found.length]);
      return found.map((WarehouseCode) => ({ WarehouseCode, WarehouseName: null }));
    };
    const session = { query, rowIn } as unknown as WriteSession;
    this.rows = new TableRows(session, warehouses, warehouses.columns, {} as ContentChanges);
  }

  /** Returns which of these keys are stored. */
  async find(keys: readonly string[]): Promise<string[]> {
    const found = await this.rows.stored(keys.map((code) => [code, null]));
    return keys.filter((code) => found.has(code));
  }
}

const CODES = ['A', 'B', 'C', 'D', 'E', 'F'];

test('one range finds all rows if it contains at most two rows for each key', async () => {
  const table = new FakeTable(CODES);
  expect(await table.find(['A', 'D', 'F'])).toEqual(['A', 'D', 'F']);
  expect(table.statements).toEqual([['range', 6]]);
});

test('if a range contains more rows, this batch and all further ones name their keys', async () => {
  const table = new FakeTable(CODES);
  expect(await table.find(['B', 'F'])).toEqual(['B', 'F']);
  expect(await table.find(['A', 'B'])).toEqual(['A', 'B']);
  expect(table.statements).toEqual([
    ['range', 5],
    ['names', 2],
    ['names', 2],
  ]);
});

test('keys that a range does not contain are searched by name, because the database may have another order', async () => {
  const table = new FakeTable(['B-1', 'a-1'], (code, first, last) => {
    return code.localeCompare(first, 'en') >= 0 && code.localeCompare(last, 'en') <= 0;
  });
  expect(await table.find(['B-1', 'a-1', 'new'])).toEqual(['B-1', 'a-1']);
  expect(table.statements).toEqual([
    ['range', 1],
    ['names', 1],
  ]);
});
