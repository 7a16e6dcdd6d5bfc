import { Injectable } from '@nestjs/common';
import { assortment, lastSkuOf } from '../assortment/assortment.js';
import type { ElementSource } from '../download/download.service.js';
import type { CustomerTerms } from '../scope/customer-scope.js';
import type { Snapshot } from '../database/engine.js';
import { selectColumns } from '../resource/columns.js';
import { keysOf } from '../resource/field.decorator.js';
import { jsonWriter } from '../resource/json-writer.js';
import { shapeOf } from '../resource/shape.js';
import { StockEntry } from './stock-entry.entity.js';

/** The stock of a customer's assortment at its warehouse. */
@Injectable()
export class StockService implements ElementSource {
  readonly shape = shapeOf(StockEntry);
  readonly isCacheable = false;
  readonly keys = keysOf(StockEntry);
  readonly parts = ['products', 'prices', 'stock'] as const;
  private readonly write = jsonWriter(StockEntry);
  private readonly select = selectColumns(StockEntry);

  /** The elements of `GET /stock`, each as JSON with the separator before it, in batches. */
  async *elements(snapshot: Snapshot, terms: CustomerTerms, separator: string): AsyncGenerator<string> {
    if (!terms.warehouseCode) return;
    const further = warehouseStock(snapshot, terms);
    for await (const rows of assortment(snapshot, terms, { select: this.select, further }))
      yield rows.map((row) => separator + this.write(row, terms)).join('');
  }

  async lastSku(snapshot: Snapshot, terms: CustomerTerms): Promise<string | undefined> {
    return terms.warehouseCode ? lastSkuOf(snapshot, terms, warehouseStock(snapshot, terms)) : undefined;
  }
}

const warehouseStock = (snapshot: Snapshot, { warehouseCode }: CustomerTerms) => ({
  join: `${snapshot.join('stock')} ON stock.SKU = prices.SKU AND stock.WarehouseCode = ?`,
  parameters: [warehouseCode],
});
