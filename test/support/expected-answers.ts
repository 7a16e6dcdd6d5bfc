import { parse } from 'csv-parse/sync';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COLUMNS, type ImportFileName } from './import-files.js';

// What the service must answer, computed a second time from the rows alone: nothing of `src/` is used here, so that a
// mistake there is not made twice. Every table is held in memory, and negative decimals are refused but for stock.

export const ENDPOINTS = ['/products', '/stock', '/prices'] as const;
type Endpoint = (typeof ENDPOINTS)[number];
/** Each key of an element, in order of answer, with the JSON text of its value. */
type Element = Record<string, string>;
type Row = Record<string, string>;
/** Tells the rows of an import file, or of the table that it is loaded into: the text of each column, '' for none. */
export type ReadRows = (file: ImportFileName) => Row[];

export const PRODUCT_FIELDS = COLUMNS['products.csv'].split(',');
export const STOCK_FIELDS = ['SKU', 'StockLocation', ...COLUMNS['stock.csv'].split(',').slice(2)];
/** The arrays with a file of their own, in order of answer, with their elements' fields; the first is what sorts them. */
const FILED_ARRAYS = [
  ['ProductImages', 'product_images.csv', 'ImageID FileName IsPrimaryImage'],
  ['ProductAccessories', 'product_accessories.csv', 'AccessorySKU'],
  ['ProductSubstitutions', 'product_substitutions.csv', 'SubstituteSKU'],
  ['ProductComposition', 'product_composition.csv', 'MaterialCode MaterialDescription CompositionPercentage'],
].map(([name, file, fields]) => ({ name: name!, file: file as ImportFileName, fields: words(fields!) }));
export const PRODUCT_ARRAYS = [...FILED_ARRAYS.map(({ name }) => name), 'ProductPrices'];
/** Columns kept to the character; around anything else spaces are no part of it. */
const PROSE =
  words(`Name Description WebsiteDescription WashingInstructions Gender Audience MainColour Photo Theme Status
  WhatsIncluded ProductCompositionText FileName MaterialDescription PriceListName`);
const DECIMAL = /_in_|^CartonQty$|^AvailableQTY$|^MOQ$|^OrderMultiple$|^CompositionPercentage$/;
const TRUE = /^(true|1|yes)$/i;

/** What each endpoint must answer to the customer, if the database holds exactly the files of the folder. */
export function expectedAnswers(folder: string, customerCode: string): Record<Endpoint, Element[]> {
  return answersOf((file) => readRows(join(folder, file)), customerCode);
}

/** What each endpoint must answer to the customer from these rows. */
export function answersOf(read: ReadRows, customerCode: string): Record<Endpoint, Element[]> {
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

/** The document that may be stored of each product, by SKU: its JSON up to the first of its prices. */
export function documentsOf(read: ReadRows): Map<string, string> {
  const describe = describer(read);
  return new Map(
    read('products.csv').map((row) => [
      row.SKU!,
      jsonOf([{ ...describe(row), ProductPrices: '[' }]).slice(1, -'}]'.length),
    ]),
  );
}

/** What is the same of a product for all customers. */
function describer(read: ReadRows): (product: Row) => Element {
  const arrays = FILED_ARRAYS.map(({ name, file, fields }) => ({ name, fields, rows: bySku(read(file)) }));
  return (product) => ({
    ...pick(product, PRODUCT_FIELDS),
    ...Object.fromEntries(
      arrays.map(({ name, fields, rows }) => [name, arrayOf(rows.get(product.SKU!) ?? [], fields)]),
    ),
  });
}

/** Where a body first leaves the expected text, by SKU and key; undefined where they are the same to the byte. */
export function difference(expected: Element[], body: Buffer): string | undefined {
  const text = jsonOf(expected);
  const answer = body.toString();
  if (text === answer) return undefined;
  let at = 0;
  while (text[at] === answer[at]) at++;
  let end = 1;
  const element = expected.find((candidate) => (end += jsonOf([candidate]).length - 1) > at);
  const key = [...text.slice(0, at).matchAll(/"(\w+)":/g)].at(-1)?.[1];
  const excerpt = (whole: string) => whole.slice(Math.max(0, at - 40), at + 60);
  return `SKU ${element?.SKU}, key ${key}: expected …${excerpt(text)}… but the answer has …${excerpt(answer)}…`;
}

function jsonOf(elements: Element[]): string {
  const objectOf = (element: Element) =>
    `{${Object.entries(element)
      .map(([key, json]) => `"${key}":${json}`)
      .join()}}`;
  return `[${elements.map(objectOf).join()}]`;
}

function readRows(path: string): Row[] {
  return parse(readFileSync(path), { bom: true, columns: true, cast: trimUnlessProse });
}

function trimUnlessProse(cell: string, { column }: { column: string | number }): string {
  return PROSE.includes(String(column)) ? cell : cell.trim();
}

function bySku(rows: Row[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) groups.set(row.SKU!, [...(groups.get(row.SKU!) ?? []), row]);
  return groups;
}

/** UTF-8 bytes sort as code points do; JavaScript's own order differs beyond U+FFFF. */
function codePointOrder(column: string): (one: Row, other: Row) => number {
  return (one, other) => Buffer.compare(Buffer.from(one[column]!), Buffer.from(other[column]!));
}

function arrayOf(rows: Row[], fields: string[]): string {
  const rank = ({ IsPrimaryImage = '' }: Row) => (TRUE.test(IsPrimaryImage) ? 0 : 1);
  const inOrder = rows.toSorted(codePointOrder(fields[0]!)).toSorted((one, other) => rank(one) - rank(other));
  return jsonOf(inOrder.map((row) => pick(row, fields)));
}

function priceOf(row: Row, discount: string): Element {
  const PriceExclVAT = netPrice(row.Price!, TRUE.test(row.DiscountEligible!) ? discount : '0');
  const identity = pick(row, words('PriceListCode PriceListName CurrencyCode SKU'));
  return { ...identity, PriceExclVAT, ...pick(row, words('MOQ OrderMultiple')) };
}

function stockOf(row: Row): Element {
  const AvailableQTY = row.AvailableQTY!.replace(/^-.*/, '0');
  const answered = { ...row, StockLocation: row.WarehouseCode!, AvailableQTY };
  return pick(answered, STOCK_FIELDS);
}

function pick(row: Row, fields: string[]): Element {
  return Object.fromEntries(fields.map((field) => [field, valueOf(field, row[field]!)]));
}

function valueOf(field: string, cell: string): string {
  if (cell === '') return 'null';
  if (field === 'IsPrimaryImage') return String(TRUE.test(cell));
  return DECIMAL.test(field) ? fourDecimals(tenThousandths(cell)).replace(/\.?0+$/, '') : JSON.stringify(cell);
}

/** Price x (100 - discount) / 100, half away from zero: the part that is lost is doubled and held against the whole. */
function netPrice(price: string, discount: string): string {
  const hundred = tenThousandths('100');
  const exact = tenThousandths(price) * (hundred - tenThousandths(discount));
  return fourDecimals(exact / hundred + (2n * (exact % hundred) >= hundred ? 1n : 0n));
}

function tenThousandths(decimal: string): bigint {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d{1,4}))?$/.exec(decimal) ?? [];
  if (!whole) throw new Error(`No decimal that this file expects: ${decimal}`);
  return BigInt(whole + fraction.padEnd(4, '0'));
}

function fourDecimals(units: bigint): string {
  return String(units)
    .padStart(5, '0')
    .replace(/(?=.{4}$)/, '.');
}

function words(list: string): string[] {
  return list.trim().split(/\s+/);
}
