import { Injectable } from '@nestjs/common';
import { assortment } from '../assortment/assortment.js';
import type { ElementSource } from '../download/download.service.js';
import type { CustomerScope } from '../scope/customer-scope.js';
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
  readonly keys = keysOf(StockEntry);
  readonly parts = ['products', 'prices', 'stock'] as const;
  private readonly write = jsonWriter(StockEntry);
  private readonly select = selectColumns(StockEntry);

  /** The elements of `GET /stock`, each as JSON with the separator before it, in batches. */
  async *elements(snapshot: Snapshot, scope: CustomerScope, separator: string): AsyncGenerator<string> {
    if (!scope.warehouseCode) return;
    const further = {
      join: `${snapshot.join('stock')} ON stock.SKU = prices.SKU AND stock.WarehouseCode = ?`,
      parameters: [scope.warehouseCode],
    };
    for await (const rows of assortment(snapshot, scope, { select: this.select, further }))
      yield rows.map((row) => separator + this.write(row, scope)).join('');
  }
}
