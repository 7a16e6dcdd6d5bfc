import { Injectable } from '@nestjs/common';
import { assortment } from '../assortment/assortment.js';
import type { ElementSource } from '../download/download.service.js';
import type { CustomerScope } from '../scope/customer-scope.js';
import type { Row } from '../database/query.js';
import type { Snapshot } from '../database/engine.js';
import { ProductPrice } from '../pricing/product-price.entity.js';
import { selectColumns, tableOf } from '../resource/columns.js';
import { arraysOf, columnsOf, type Resource } from '../resource/field.decorator.js';
import { jsonWriter } from '../resource/json-writer.js';
import { Product } from './product.entity.js';

/** The products of a customer's assortment. */
@Injectable()
export class CatalogService implements ElementSource {
  private readonly write = jsonWriter(Product);
  private readonly select = joinedColumns(Product, ProductPrice);
  private readonly arrays = arraysOf(Product)
    .filter(({ resource }) => resource !== ProductPrice)
    .map(({ name, resource, orderBy }) => ({
      name,
      sql: (count: number) =>
        `SELECT ${selectColumns(resource)} FROM ${tableOf(resource)}
         WHERE SKU IN (${Array(count).fill('?').join()}) ORDER BY SKU, ${orderBy}`,
    }));

  /** The elements of `GET /products`, each as JSON, in batches. */
  async *elements(snapshot: Snapshot, scope: CustomerScope): AsyncGenerator<string[]> {
    for await (const rows of assortment(snapshot, scope, { select: this.select })) {
      const products = new Map(rows.map((row) => [row.SKU, { ...row, ProductPrices: [row] } as Row]));
      for (const array of this.arrays) await this.attach(snapshot, products, array);
      yield [...products.values()].map((product) => this.write(product, scope));
    }
  }

  private async attach(
    snapshot: Snapshot,
    products: Map<unknown, Row>,
    { name, sql }: CatalogService['arrays'][number],
  ): Promise<void> {
    const rows = await snapshot.query(sql(products.size), [...products.keys()]);
    for (const product of products.values()) product[name] = [];
    for (const row of rows) (products.get(row.SKU)![name] as Row[]).push(row);
  }
}

/** The columns of both in one row, which holds as long as they share no name but SKU, by which they are joined. */
function joinedColumns(first: Resource, second: Resource): string {
  const names = new Set(columnsOf(first).map(({ name }) => name));
  const shared = columnsOf(second).filter(({ name }) => name !== 'SKU' && names.has(name));
  if (shared.length) throw new Error(`${first.name} and ${second.name} share the column ${shared[0]!.name}`);
  return `${selectColumns(first)}, ${selectColumns(second)}`;
}
