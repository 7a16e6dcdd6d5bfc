import type { RowValues } from './cell.js';
import { comparePrices, type PriceChanges, PriceTally } from '../guard/price-tally.js';
import type { CheckedRow, RowWatch } from './row-watch.js';
import type { TableSource } from './source/table-source.js';

/** Compares the prices of a file with the stored ones, over the whole file and per price list. */
export class PriceWatch implements RowWatch {
  private readonly all = new PriceTally();
  private readonly byList = new Map<string, PriceTally>();
  private readonly list: number;
  private readonly sku: number;
  private readonly price: number;

  constructor(private readonly source: TableSource) {
    const names = source.columns.map(({ name }) => name);
    [this.list, this.sku, this.price] = [names.indexOf('PriceListCode'), names.indexOf('SKU'), names.indexOf('Price')];
  }

  observe(rows: readonly CheckedRow[], stored: ReadonlyMap<string, RowValues> | undefined): void {
    if (!stored || this.price < 0) return;
    for (const { key, values, line } of rows) {
      const before = stored.get(key);
      if (!before) continue;
      const list = String(values[this.list]);
      const place = () => `SKU ${values[this.sku]} on list ${list}, line ${line}`;
      const compared = comparePrices(String(before[this.price]), String(values[this.price]));
      for (const tally of [this.all, this.tallyOf(list)]) tally.addCompared(compared, place);
    }
  }

  get changes(): PriceChanges {
    return this.all.changes;
  }

  /** Probable mistakes: one for the whole file, or else one for each list. `column` is the name that the file uses. */
  problems(): { column: string; message: string }[] {
    const all = this.all.problem('stored prices');
    const perList = [...this.byList].map(([list, tally]) => tally.problem(`stored prices of list ${list}`));
    const messages = all === undefined ? perList.filter((message) => message !== undefined) : [all];
    return messages.map((message) => ({ column: this.source.label(this.source.columns[this.price]!), message }));
  }

  private tallyOf(list: string): PriceTally {
    let tally = this.byList.get(list);
    if (!tally) this.byList.set(list, (tally = new PriceTally()));
    return tally;
  }
}
