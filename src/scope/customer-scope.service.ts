import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../database/database.service.js';
import type { Query, Row } from '../database/query.js';
import { joinPart, partState } from '../versions/content-versions.js';
import type { CustomerScope, CustomerTerms } from './customer-scope.js';

const SQL = `
  SELECT customers.CustomerCode, customers.WarehouseCode, customers.DiscountPercentage,
    price_lists.PriceListCode, price_lists.PriceListName, price_lists.CurrencyCode,
    productsPart.Version AS productsVersion, productsPart.ChangedAt AS productsChangedAt,
    pricesPart.Version AS pricesVersion, pricesPart.ChangedAt AS pricesChangedAt,
    stockPart.Version AS stockVersion, stockPart.ChangedAt AS stockChangedAt
  FROM customers LEFT JOIN price_lists ON price_lists.PriceListCode = customers.PriceListCode
    ${joinPart('products', "''")}
    ${joinPart('prices', 'customers.PriceListCode')}
    ${joinPart('stock', 'customers.WarehouseCode')}
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
      terms: termsOf(row),
      parts: {
        products: partState(row, 'products'),
        prices: partState(row, 'prices'),
        stock: partState(row, 'stock'),
      },
    });
  }
}

function termsOf(row: Row): CustomerTerms {
  const { PriceListCode: code } = row;
  const priceList = {
    code: code as string,
    name: row.PriceListName as string | null,
    currencyCode: row.CurrencyCode as string,
  };
  return Object.freeze({
    priceList: code === null ? null : priceList,
    warehouseCode: row.WarehouseCode as string | null,
    discountPercentage: String(row.DiscountPercentage),
  });
}
