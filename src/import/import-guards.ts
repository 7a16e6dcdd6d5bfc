import type { RowValues } from './cell.js';
import { TermsLog } from '../audit/terms-log.js';
import type { PriceChanges } from '../guard/price-tally.js';
import type { ImportTable } from './import-tables.js';
import { PriceWatch } from './price-watch.js';
import type { Problems } from './problems.js';
import type { RowWatch } from './row-watch.js';
import type { TableSource } from './source/table-source.js';
import { StockWatch } from './stock-watch.js';
import { CustomerWatch, PriceListWatch, type States } from './terms-watch.js';

/** The guards that an operator disables. */
export interface GuardOptions {
  /** Accept any change of prices. */
  allowPriceChanges?: boolean;
  /** Accept a warehouse that loses all its stock. */
  allowZeroStock?: boolean;
}

/** Subject of the terms log by table. Removals from other tables are not recorded. */
const RECORDED = { customers: 'customer', price_lists: 'price_list' } as const;

/** Compares the rows of an import with the stored ones. Records changes of terms and reports probable mistakes. */
export class ImportGuards {
  private readonly log: TermsLog;
  private prices?: PriceWatch;
  private stock?: StockWatch;
  private stockFile = '';
  private priceLists?: PriceListWatch;
  private customers?: CustomerWatch;
  private readonly files = new Map<RowWatch, string>();

  constructor(
    private readonly states: States,
    private readonly options: GuardOptions,
    importId: string | null,
  ) {
    this.log = new TermsLog(states.after, importId);
  }

  /** Creates the watch for the rows of a source; undefined if the table needs none. */
  watch(source: TableSource): RowWatch | undefined {
    const watch = this.watchOf(source);
    if (watch) this.files.set(watch, source.file);
    return watch;
  }

  /** Call it before rows are removed. @param keys values of the key columns @param file the file that lacks the rows */
  async beforeRemoval(table: ImportTable, keys: readonly RowValues[], file: string): Promise<void> {
    if (table.name === 'stock') {
      this.stock ??= new StockWatch();
      this.stockFile ||= file;
      for (const [warehouse] of keys) this.stock.noteRemoval(String(warehouse));
    }
    const subject = RECORDED[table.name as keyof typeof RECORDED];
    if (!subject || !keys.length) return;
    const { sql, parameters } = this.states.after.rowIn(table.key, keys);
    const rows = await this.states.after.query(`SELECT * FROM ${table.name} WHERE ${sql}`, parameters);
    const [key] = table.key;
    const names = table.columns.map(({ name }) => name).filter((name) => name !== key);
    await this.log.record(
      rows.map((row) => ({
        subject,
        code: String(row[key!]),
        before: Object.fromEntries(names.map((name) => [name, row[name]])),
        after: null,
      })),
    );
  }

  /** Adds probable mistakes to the problems. */
  async check(problems: Problems): Promise<void> {
    if (!this.options.allowPriceChanges) await this.checkPrices(problems);
    if (this.options.allowZeroStock || !this.stock) return;
    for (const message of await this.stock.problems(this.states.before, this.states.after.query))
      problems.add(this.files.get(this.stock) ?? this.stockFile, 0, '', message);
  }

  /** Comparison of the prices in the file with the stored ones; undefined if no file has prices. */
  get priceChanges(): PriceChanges | undefined {
    return this.prices?.changes;
  }

  private async checkPrices(problems: Problems): Promise<void> {
    const { prices, priceLists, customers } = this;
    if (prices)
      for (const { column, message } of prices.problems()) problems.add(this.files.get(prices)!, 0, column, message);
    for (const watch of [priceLists, customers])
      await watch?.check(this.states, (...fault) => problems.add(this.files.get(watch)!, ...fault));
  }

  private watchOf(source: TableSource): RowWatch | undefined {
    if (source.table.name === 'prices') return (this.prices = new PriceWatch(source));
    if (source.table.name === 'stock') return (this.stock = new StockWatch(source));
    if (source.table.name === 'price_lists') return (this.priceLists = new PriceListWatch(source, this.log));
    if (source.table.name === 'customers') return (this.customers = new CustomerWatch(source, this.log));
    return undefined;
  }
}
