import { Injectable } from '@nestjs/common';
import { assortment } from '../assortment/assortment.js';
import type { CustomerScope } from '../customers/customer-scope.js';
import type { Row } from '../database/query.js';
import type { Snapshot } from '../database/snapshot.service.js';
import { ProductPrice } from '../pricing/product-price.entity.js';
import { selectColumns, tableOf } from '../resource/columns.js';
import { arraysOf, type NestedArray } from '../resource/field.decorator.js';
import { jsonWriter } from '../resource/json-writer.js';
import { Product } from './product.entity.js';

/** The products of a customer's assortment. */
@Injectable()
export class CatalogService {
  private readonly write = jsonWriter(Product);
  // A product and its price share no column name but SKU, so that one row can hold both.
  private readonly select = `${selectColumns(Product)}, ${selectColumns(ProductPrice)}`;
  private readonly arrays = arraysOf(Product).filter(({ resource }) => resource !== ProductPrice);

  /** The elements of `GET /products`, each as JSON, in batches. */
  async *products(snapshot: Snapshot, scope: CustomerScope): AsyncGenerator<string[]> {
    for await (const rows of assortment(snapshot, scope, { select: this.select })) {
      const products = new Map(rows.map((row) => [row.SKU, { ...row, ProductPrices: [row] } as Row]));
      for (const array of this.arrays) await this.attach(snapshot, products, array);
      yield [...products.values()].map((product) => this.write(product, scope));
    }
  }

  private async attach(snapshot: Snapshot, products: Map<unknown, Row>, array: NestedArray): Promise<void> {
    const skus = [...products.keys()];
    const rows = await snapshot.query(
      `SELECT ${selectColumns(array.resource)} FROM ${tableOf(array.resource)}
       WHERE SKU IN (${skus.map(() => '?').join()}) ORDER BY SKU, ${array.orderBy}`,
      skus,
    );
    for (const product of products.values()) product[array.name] = [];
    for (const row of rows) (products.get(row.SKU)![array.name] as Row[]).push(row);
  }
}
