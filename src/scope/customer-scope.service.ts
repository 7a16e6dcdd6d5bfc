import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../database/database.service.js';
import type { Query } from '../database/query.js';
import { versionOf } from '../versions/content-versions.js';
import type { CustomerScope } from './customer-scope.js';

const SQL = `
  SELECT customers.CustomerCode, customers.WarehouseCode, customers.DiscountPercentage,
    price_lists.PriceListCode, price_lists.PriceListName, price_lists.CurrencyCode,
    ${versionOf('products', "''")} AS ProductsVersion,
    ${versionOf('prices', 'customers.PriceListCode')} AS PricesVersion,
    ${versionOf('stock', 'customers.WarehouseCode')} AS StockVersion
  FROM customers LEFT JOIN price_lists ON price_lists.PriceListCode = customers.PriceListCode
  WHERE customers.CustomerCode = ? AND customers.Active = 1`;

/** Finds what an active customer may see. */
@Injectable()
export class CustomerScopeService {
  constructor(private readonly database: DatabaseService) {}

  /**
   * The scope of an active customer, or undefined where there is none of exactly this code.
   * @param query where to look: by default the current state, or a snapshot's state with that snapshot's query
   */
  async find(customerCode: string, query: Query = this.database.query): Promise<CustomerScope | undefined> {
    const [row] = await query(SQL, [customerCode]);
    if (!row) return undefined;
    return Object.freeze({
      customerCode: row.CustomerCode as string,
      priceList:
        row.PriceListCode === null
          ? null
          : {
              code: row.PriceListCode as string,
              name: row.PriceListName as string | null,
              currencyCode: row.CurrencyCode as string,
            },
      warehouseCode: row.WarehouseCode as string | null,
      discountPercentage: String(row.DiscountPercentage),
      versions: {
        products: row.ProductsVersion as string | null,
        prices: row.PricesVersion as string | null,
        stock: row.StockVersion as string | null,
      },
    });
  }
}
