import { Injectable } from '@nestjs/common';
import { assortment, lastSkuOf } from '../assortment/assortment.js';
import type { ElementSource } from '../download/download.service.js';
import type { CustomerTerms } from '../scope/customer-scope.js';
import type { Snapshot } from '../database/engine.js';
import { selectColumns } from '../resource/columns.js';
import { keysOf } from '../resource/field.decorator.js';
import { jsonWriter } from '../resource/json-writer.js';
import { shapeOf } from '../resource/shape.js';
import { ProductPrice } from './product-price.entity.js';

/** The net prices of a customer's assortment. */
@Injectable()
export class PricingService implements ElementSource {
  readonly shape = shapeOf(ProductPrice);
  readonly isCacheable = true;
  readonly keys = keysOf(ProductPrice);
  readonly parts = ['products', 'prices'] as const;
  private readonly write = jsonWriter(ProductPrice);
  private readonly select = selectColumns(ProductPrice);

  /** The elements of `GET /prices`, each as JSON with the separator before it, in batches. */
  async *elements(snapshot: Snapshot, terms: CustomerTerms, separator: string): AsyncGenerator<string> {
    for await (const rows of assortment(snapshot, terms, { select: this.select }))
      yield rows.map((row) => separator + this.write(row, terms)).join('');
  }

  lastSku(snapshot: Snapshot, terms: CustomerTerms): Promise<string | undefined> {
    return lastSkuOf(snapshot, terms);
  }
}
