import { parse } from 'csv-parse/sync';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ImportFileName } from './import-files.js';

// Computes the expected responses a second time from the rows, without code of `src/`, so that a mistake there is not
// repeated. Holds every table in memory. Rejects negative decimals, except for stock.

export const ENDPOINTS = ['/products', '/stock', '/prices'] as const;
type Endpoint = (typeof ENDPOINTS)[number];
/** Each key of an element in the order of the response, with the JSON text of its value. */
type Element = Record<string, string>;
type Row = Record<string, string>;
/** Reads the rows of an import file, or of its table: the text of each column, '' for none. */
export type ReadRows = (file: ImportFileName) => Row[];

type Kind = 'prose' | 'code' | 'number' | 'flag';
type Fields = Readonly<Record<string, Kind>>;

// The fields of each resource in the order of the response. A new field needs one line here and no other change in this
// file.

const PRODUCT: Fields = {
  SKU: 'code',
  Name: 'prose',
  Description: 'prose',
  WebsiteDescription: 'prose',
  ProductCategoryCode: 'code',
  WashingInstructions: 'prose',
  Gender: 'prose',
  Audience: 'prose',
  MainColour: 'prose',
  Barcode: 'code',
  Photo: 'prose',
  Theme: 'prose',
  PackagedLength_in_cm: 'number',
  PackagedWidth_in_cm: 'number',
  PackagedHeight_in_cm: 'number',
  PackagedWeight_in_g: 'number',
  CartonLength_in_cm: 'number',
  CartonWidth_in_cm: 'number',
  CartonHeight_in_cm: 'number',
  CartonWeight_in_g: 'number',
  CartonQty: 'number',
  AmazonASIN: 'code',
  CountryOfOrigin: 'code',
  Status: 'prose',
  StyleCode: 'code',
  CartonBarcode: 'code',
  HSCode: 'code',
  WhatsIncluded: 'prose',
  ProductCompositionText: 'prose',
};

const STOCK: Fields = {
  SKU: 'code',
  StockLocation: 'code',
  AvailableQTY: 'number',
  NextAvailableETA: 'code',
};

const PRICE: Fields = {
  PriceListCode: 'code',
  PriceListName: 'prose',
  CurrencyCode: 'code',
  SKU: 'code',
  PriceExclVAT: 'number',
  MOQ: 'number',
  OrderMultiple: 'number',
};

/** The arrays that have an import file, in the order of the response. The first field sorts the elements. */
const FILED_ARRAYS: readonly { name: string; file: ImportFileName; fields: Fields }[] = [
  {
    name: 'ProductImages',
    file: 'product_images.csv',
    fields: { ImageID: 'code', FileName: 'prose', IsPrimaryImage: 'flag' },
  },
  { name: 'ProductAccessories', file: 'product_accessories.csv', fields: { AccessorySKU: 'code' } },
  { name: 'ProductSubstitutions', file: 'product_substitutions.csv', fields: { SubstituteSKU: 'code' } },
  {
    name: 'ProductComposition',
    file: 'product_composition.csv',
    fields: { MaterialCode: 'code', MaterialDescription: 'prose', CompositionPercentage: 'number' },
  },
];

/** The keys of the elements of each endpoint, in the order of the response. */
export const KEYS: Record<Endpoint, readonly string[]> = {
  '/products': [...Object.keys(PRODUCT), ...FILED_ARRAYS.map(({ name }) => name), 'ProductPrices'],
  '/stock': Object.keys(STOCK),
  '/prices': Object.keys(PRICE),
};
/** Columns whose texts are stored unchanged. Values of all other columns are trimmed. */
const PROSE = new Set(
  [PRODUCT, STOCK, PRICE, ...FILED_ARRAYS.map(({ fields }) => fields)].flatMap((fields) =>
    Object.keys(fields).filter((name) => fields[name] === 'prose'),
  ),
);
const TRUE = /^(true|1|yes)$/i;

/** The expected response of each endpoint to the customer, if the database holds exactly the files of the folder. */
export function expectedResponses(folder: string, customerCode: string): Record<Endpoint, Element[]> {
  return responsesOf((file) => readRows(join(folder, file)), customerCode);
}

/** The expected response of each endpoint to the customer from these rows. */
export function responsesOf(read: ReadRows, customerCode: string): Record<Endpoint, Element[]> {
  const customer = read('customers.csv').find((row) => row.CustomerCode === customerCode)!;
  const list = read('price_lists.csv').find((row) => row.PriceListCode === customer.PriceListCode);
  const products = bySku(read('products.csv').filter(({ Status }) => Status !== 'OBSOLETE'));
  const eligible = (file: ImportFileName) =>
    read(file)
      .filter(({ SKU }) => products.has(SKU!))
      .toSorted(codePointOrder('SKU'));
  const prices = eligible('prices.csv').filter((row) => row.PriceListCode === customer.PriceListCode);
  const priced = new Map(prices.map((row) => [row.SKU!, priceOf({ ...row, ...list }, customer.DiscountPercentage!)]));
  const stock = eligible('stock.csv').filter((row) => row.WarehouseCode === customer.WarehouseCode);
  const describe = describer(read);
  const productOf = ([sku, price]: [string, Element]): Element => ({
    ...describe(products.get(sku)![0]!),
    ProductPrices: jsonOf([price]),
  });
  return {
    '/products': [...priced].map(productOf),
    '/stock': stock.filter(({ SKU }) => priced.has(SKU!)).map(stockOf),
    '/prices': [...priced.values()],
  };
}

/** The expected stored document of each product, by SKU: its JSON up to its first price. */
export function documentsOf(read: ReadRows): Map<string, string> {
  const describe = describer(read);
  return new Map(
    read('products.csv').map((row) => [
      row.SKU!,
      jsonOf([{ ...describe(row), ProductPrices: '[' }]).slice(1, -'}]'.length),
    ]),
  );
}

/** Returns a function that describes the part of a product that is the same for all customers. */
function describer(read: ReadRows): (product: Row) => Element {
  const arrays = FILED_ARRAYS.map(({ name, file, fields }) => ({ name, fields, rows: bySku(read(file)) }));
  return (product) => ({
    ...pick(product, PRODUCT),
    ...Object.fromEntries(
      arrays.map(({ name, fields, rows }) => [name, arrayOf(rows.get(product.SKU!) ?? [], fields)]),
    ),
  });
}

/**
 * Describes the first difference of a body from the expected text, by SKU and key. Undefined: they are equal byte by
 * byte.
 */
export function difference(expected: Element[], body: Buffer): string | undefined {
  const text = jsonOf(expected);
  const response = body.toString();
  if (text === response) return undefined;
  let at = 0;
  while (text[at] === response[at]) at++;
  let end = 1;
  const element = expected.find((candidate) => (end += jsonOf([candidate]).length - 1) > at);
  const key = [...text.slice(0, at).matchAll(/"(\w+)":/g)].at(-1)?.[1];
  const excerpt = (whole: string) => whole.slice(Math.max(0, at - 40), at + 60);
  return `SKU ${element?.SKU}, key ${key}: expected …${excerpt(text)}… but the response has …${excerpt(response)}…`;
}

function jsonOf(elements: Element[]): string {
  const objectOf = (element: Element) =>
    `{${Object.entries(element)
      .map(([key, json]) => `"${key}":${json}`)
      .join()}}`;
  return `[${elements.map(objectOf).join()}]`;
}

/** A missing file has no rows. */
function readRows(path: string): Row[] {
  if (!existsSync(path)) return [];
  return parse(readFileSync(path), { bom: true, columns: true, cast: trimUnlessProse });
}

function trimUnlessProse(cell: string, { column }: { column: string | number }): string {
  return PROSE.has(String(column)) ? cell : cell.trim();
}

function bySku(rows: Row[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) groups.set(row.SKU!, [...(groups.get(row.SKU!) ?? []), row]);
  return groups;
}

/** UTF-8 bytes sort like code points. JavaScript's own order differs beyond U+FFFF. */
function codePointOrder(column: string): (one: Row, other: Row) => number {
  return (one, other) => Buffer.compare(Buffer.from(one[column]!), Buffer.from(other[column]!));
}

function arrayOf(rows: Row[], fields: Fields): string {
  const rank = ({ IsPrimaryImage = '' }: Row) => (TRUE.test(IsPrimaryImage) ? 0 : 1);
  const inOrder = rows
    .toSorted(codePointOrder(Object.keys(fields)[0]!))
    .toSorted((one, other) => rank(one) - rank(other));
  return jsonOf(inOrder.map((row) => pick(row, fields)));
}

function priceOf(row: Row, discount: string): Element {
  const PriceExclVAT = netPrice(row.Price!, TRUE.test(row.DiscountEligible!) ? discount : '0');
  return { ...pick(row, PRICE), PriceExclVAT };
}

function stockOf(row: Row): Element {
  const AvailableQTY = row.AvailableQTY!.replace(/^-.*/, '0');
  const fields = { ...row, StockLocation: row.WarehouseCode!, AvailableQTY };
  return pick(fields, STOCK);
}

/** A missing column in the row is a column that the file lacks. */
function pick(row: Row, fields: Fields): Element {
  return Object.fromEntries(Object.entries(fields).map(([name, kind]) => [name, valueOf(kind, row[name] ?? '')]));
}

function valueOf(kind: Kind, cell: string): string {
  if (cell === '') return 'null';
  if (kind === 'flag') return String(TRUE.test(cell));
  return kind === 'number' ? fourDecimals(tenThousandths(cell)).replace(/\.?0+$/, '') : JSON.stringify(cell);
}

/**
 * Price x (100 - discount) / 100, rounded half away from zero: rounds up if twice the remainder is at least the
 * divisor.
 */
function netPrice(price: string, discount: string): string {
  const hundred = tenThousandths('100');
  const exact = tenThousandths(price) * (hundred - tenThousandths(discount));
  return fourDecimals(exact / hundred + (2n * (exact % hundred) >= hundred ? 1n : 0n));
}

function tenThousandths(decimal: string): bigint {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d{1,4}))?$/.exec(decimal) ?? [];
  if (!whole) throw new Error(`Not a decimal that expected-responses.ts supports: ${decimal}`);
  return BigInt(whole + fraction.padEnd(4, '0'));
}

function fourDecimals(units: bigint): string {
  return String(units)
    .padStart(5, '0')
    .replace(/(?=.{4}$)/, '.');
}
