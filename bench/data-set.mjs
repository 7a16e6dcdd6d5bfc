// The data sets of the benchmarks. Each row is computed from its number, so a set takes no memory and is identical in
// every process.
import { HUNDRED, digits, picker } from './random.mjs';
import { accessories, composition, images, product, skuOf, substitutions } from './product-rows.mjs';

/** The number of products of each data set. Q replaces L in quick runs. S is for comparisons of commits. */
export const SIZES = { S: 800, M: 8_000, Q: 32_000, L: 160_000 };

const PRICE_LISTS = [
  { PriceListCode: 'EUR-A', PriceListName: 'Euro, two thirds of the products', CurrencyCode: 'EUR' },
  { PriceListCode: 'EUR-B', PriceListName: 'Euro, all products', CurrencyCode: 'EUR' },
];

const WAREHOUSES = [
  { WarehouseCode: 'NL01', WarehouseName: 'Venlo, Netherlands' },
  { WarehouseCode: 'UK01', WarehouseName: 'Corby, United Kingdom' },
];

const customer = (code, list, warehouse) => ({
  CustomerCode: code,
  CustomerName: `Benchmark shop, ${list}`,
  PriceListCode: list,
  WarehouseCode: warehouse,
  DiscountPercentage: '12.5',
  RequestsPerMinute: 100_000_000,
  RequestsPerHour: 100_000_000,
});

/** `BENCH-A` has the price list EUR-A, with 5,000 eligible products in M and 100,000 in L. `BENCH-B` has EUR-B. */
const CUSTOMERS = [customer('BENCH-A', 'EUR-A', 'NL01'), customer('BENCH-B', 'EUR-B', 'UK01')];

/**
 * The tables of a data set. A table follows the tables that it references. `rows()` yields the rows in the order of
 * products. A row is an object with the columns of the table in order. Unknown values are null. Decimals and days are
 * text.
 * @param {'S' | 'M' | 'Q' | 'L'} size
 * @returns {{ name: string, columns: string[], rows: () => Iterable<object> }[]}
 */
export function dataSet(size) {
  const count = SIZES[size];
  return [
    table('price_lists', () => PRICE_LISTS),
    table('warehouses', () => WAREHOUSES),
    table('products', () => each(count, (index) => [product(index)])),
    table('product_images', () => each(count, images)),
    table('product_accessories', () => each(count, (index) => accessories(index, count))),
    table('product_substitutions', () => each(count, (index) => substitutions(index, count))),
    table('product_composition', () => each(count, composition)),
    table('prices', () => prices(count)),
    table('stock', () => stock(count)),
    table('customers', () => CUSTOMERS),
  ];
}

/** The rows in arrays of `length`. The last array may be shorter. */
export function* chunksOf(rows, length) {
  let chunk = [];
  for (const row of rows) {
    chunk.push(row);
    if (chunk.length < length) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length) yield chunk;
}

function table(name, rows) {
  const [first] = rows();
  return { name, columns: Object.keys(first), rows };
}

function* each(count, rowsOf) {
  for (let index = 0; index < count; index++) yield* rowsOf(index);
}

/** EUR-A lacks a price for every third product. Every 16th product is obsolete, so 5/8 of all are eligible. */
function* prices(count) {
  for (const { PriceListCode: list } of PRICE_LISTS)
    for (let index = 0; index < count; index++)
      if (list === 'EUR-B' || index % 3 < 2) yield price(list, index, picker(index + (list === 'EUR-B' ? count : 0)));
}

const price = (list, index, pick) => ({
  PriceListCode: list,
  SKU: skuOf(index),
  Price: `${1 + pick(HUNDRED)}.${digits(pick(HUNDRED), 2)}${pick(['', '5', '25'])}`,
  MOQ: pick([null, '1', '6', '12']),
  OrderMultiple: pick([null, '1', '3', '6']),
  DiscountEligible: pick(HUNDRED) < 80,
});

function* stock(count) {
  for (const [place, { WarehouseCode: warehouse }] of WAREHOUSES.entries())
    for (let index = 0; index < count; index++) yield stockEntry(warehouse, index, picker(index + place * count));
}

/** About one entry in ten is sold out. A few are negative. */
function stockEntry(warehouse, index, pick) {
  const quantity = Math.max(pick(HUNDRED) * 10 - 100 + pick(HUNDRED), -2);
  return {
    WarehouseCode: warehouse,
    SKU: skuOf(index),
    AvailableQTY: String(quantity),
    NextAvailableETA: quantity > 0 ? null : pick(DAYS),
  };
}

const DAYS = Array.from({ length: 300 }, (_, day) => new Date(Date.UTC(2027, 0, 1 + day)).toISOString().slice(0, 10));
