import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { referencesOf } from './clause.js';
import { ARRAYS, type Fields, PRICE, PRODUCT, STOCK } from './documented-fields.js';
import { CLAUSES } from './suite.js';

const DOCS = resolve(import.meta.dirname, '../docs');

const document = (name: string) => readFileSync(`${DOCS}/${name}`, 'utf8');

const references = new Set(CLAUSES.flatMap(referencesOf));

test('the suite has unique clause ids', () => {
  expect(CLAUSES.map(({ id }) => id)).toEqual([...new Set(CLAUSES.map(({ id }) => id))]);
});

test('the suite covers every section and every numbered rule of the interface', () => {
  const expected: string[] = [];
  let section = '';
  for (const [, heading, rule] of document('interface.md').matchAll(/^(?:###? (\d+(?:\.\d+)?)\.? |(\d+)\. )/gm)) {
    if (heading) section = heading;
    expected.push(`§${rule ? `${section}.${rule}` : section}`);
  }
  expect(expected.length).toBeGreaterThan(40);
  // A clause about a numbered rule also covers the section of the rule.
  const missing = expected.filter((reference) => ![...references].some((own) => `${own}.`.startsWith(`${reference}.`)));
  expect(missing).toEqual([]);
});

test('the suite covers every decision', () => {
  const expected = [...document('decisions.md').matchAll(/^### (\d+)\. /gm)].map(([, number]) => `decision ${number}`);
  expect(expected.length).toBeGreaterThan(85);
  expect(expected.filter((reference) => !references.has(reference))).toEqual([]);
});

test.each<[string, string, Fields]>([
  ['2.1', 'Product', PRODUCT],
  ['2.2', 'ProductImage', ARRAYS.ProductImages!],
  ['2.3', 'ProductAccessory', ARRAYS.ProductAccessories!],
  ['2.4', 'ProductSubstitution', ARRAYS.ProductSubstitutions!],
  ['2.5', 'ProductComposition', ARRAYS.ProductComposition!],
  ['2.6', 'ProductPrice', PRICE],
  ['2.7', 'StockEntry', STOCK],
])('the suite knows the fields of §%s: %s', (section, _name, fields) => {
  const text = document('interface.md')
    .split(`\n### ${section} `)[1]!
    .split('\n### ')[0]!
    .split('The nested arrays')[0]!;
  const rows = text.matchAll(
    /^\| `(\w+)` +\| (text|long text|decimal|integer|boolean|date)\b[ \d]*\|( (?:yes|no) )?/gm,
  );
  const documented = [...rows].map(([, name, type, nullable]) => [
    name,
    type!.replace(/.*text/, 'string'),
    nullable ? nullable === ' yes ' : name !== 'SKU',
  ]);
  expect(Object.entries(fields).map(([name, { type, nullable }]) => [name, type, nullable])).toEqual(documented);
});
