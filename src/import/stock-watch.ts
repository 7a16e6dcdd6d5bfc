import { asNumber } from '../database/decimal-sql.js';
import type { Query } from '../database/query.js';
import { MIN_COMPARED } from '../guard/price-tally.js';
import type { CheckedRow, RowWatch } from './row-watch.js';
import type { TableSource } from './source/table-source.js';
import type { RowValues } from './cell.js';

const POSITIVE = `${asNumber('AvailableQTY')} > 0`;

/** Finds warehouses that have stock before an import and no stock after it. */
export class StockWatch implements RowWatch {
  /** Warehouses with stock in the file. */
  private readonly full = new Set<string>();
  /** Warehouses that lose their stock of at least one product. */
  private readonly losing = new Set<string>();
  private warehouse = -1;
  private quantity = -1;

  /** @param source undefined: the table has no file, and rows are only removed */
  constructor(source?: TableSource) {
    const names = source?.columns.map(({ name }) => name) ?? [];
    [this.warehouse, this.quantity] = [names.indexOf('WarehouseCode'), names.indexOf('AvailableQTY')];
  }

  observe(rows: readonly CheckedRow[], stored: ReadonlyMap<string, RowValues> | undefined): void {
    if (!stored || this.quantity < 0) return;
    for (const { key, values } of rows) {
      const warehouse = values[this.warehouse] as string;
      if (isPositive(values[this.quantity])) this.full.add(warehouse);
      else if (isPositive(stored.get(key)?.[this.quantity])) this.losing.add(warehouse);
    }
  }

  /** Records the warehouse of a row that is removed. */
  noteRemoval(warehouse: string): void {
    this.losing.add(warehouse);
  }

  /** @param before queries the state before the import @param after queries the state after it @returns messages */
  async problems(before: Query, after: Query): Promise<string[]> {
    const problems = [];
    for (const warehouse of this.losing) {
      if (this.full.has(warehouse) || !(await runsEmpty(after, warehouse))) continue;
      const sql = `SELECT COUNT(*) AS products FROM stock WHERE WarehouseCode = ? AND ${POSITIVE}`;
      const products = Number((await before(sql, [warehouse]))[0]?.products);
      if (products < MIN_COMPARED) continue;
      problems.push(
        `warehouse ${warehouse} has stock of ${products} products and would have none; is the file complete, and are its quantities right? If so, pass --allow-zero-stock`,
      );
    }
    return problems;
  }
}

/** Whether a warehouse exists and has no stock. */
async function runsEmpty(query: Query, warehouse: string): Promise<boolean> {
  const sql = `SELECT 1 FROM warehouses WHERE WarehouseCode = ? AND NOT EXISTS
    (SELECT 1 FROM stock WHERE stock.WarehouseCode = warehouses.WarehouseCode AND ${POSITIVE})`;
  return (await query(sql, [warehouse])).length > 0;
}

function isPositive(quantity: unknown): boolean {
  return typeof quantity === 'string' && quantity !== '0' && !quantity.startsWith('-');
}
