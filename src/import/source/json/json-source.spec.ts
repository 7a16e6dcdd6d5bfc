import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { tableOf } from '../../../resource/columns.js';
import { arraysOf, columnsOf } from '../../../resource/field.decorator.js';
import { jsonWriter } from '../../../resource/json-writer.js';
import { Product } from '../../../catalog/product.entity.js';
import { InputFile } from '../input-file.js';
import { productSources } from './json-source.js';
import { SourceFault } from '../table-source.js';

const folder = mkdtempSync(join(tmpdir(), 'json-source-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A product in the shape of `GET /products`, with null and [] for all members except its SKU and the given ones. */
function product(members: Record<string, unknown>): string {
  const scope = { discountPercentage: '0' } as never;
  const empty = JSON.parse(jsonWriter(Product)({ SKU: 'A' }, scope)) as Record<string, unknown>;
  return JSON.stringify({ ...empty, ...members });
}

interface Reading {
  /** By table: each row with its line, and its cells that have a value by label. */
  rows: Record<string, unknown[]>;
  problems: string[];
  /** By table: the columns that the file has. */
  columns: Record<string, string[]>;
  notes: string[];
}

/** Reads all sources of a file. */
async function read(content: string | Buffer): Promise<Reading> {
  const path = join(folder, 'products.json');
  writeFileSync(path, content);
  const rows: Record<string, unknown[]> = {};
  const problems = new Set<string>();
  const columns: Record<string, string[]> = {};
  const { sources, notes } = productSources(await InputFile.at(path), { encoding: 'utf-8', decimalComma: false });
  for (const source of sources) {
    rows[source.table.name] = [];
    const reported: string[] = [];
    const report = (line: number, column: string, message: string) =>
      void reported.push(`${line}: ${column}: ${message}`);
    try {
      if (!(await source.begin!(report))) continue;
      columns[source.table.name] = source.columns.map(({ name }) => name);
      for await (const chunk of source.rows(report))
        for (const { line, cells } of chunk) {
          const named = source.columns.map((column, index) => [source.label(column), cells[index]] as const);
          for (const [label, cell] of named) if (cell instanceof Error) report(line, label, cell.message);
          const values = Object.fromEntries(named.filter(([, cell]) => typeof cell === 'string' && cell !== ''));
          rows[source.table.name]!.push({ line, ...values });
        }
    } catch (fault) {
      if (!(fault instanceof SourceFault)) throw fault;
      // Every source reports the same fault.
      problems.add(`${fault.line}: ${fault.column}: ${fault.message}`);
    }
    for (const problem of reported) {
      expect(problems).not.toContain(problem);
      problems.add(problem);
    }
  }
  return { rows, problems: [...problems], columns, notes: notes() };
}

const FULL = product({
  SKU: '0012',
  Name: 'Coat "x"',
  PackagedWeight_in_g: 12.5,
  CartonQty: 6,
  ProductImages: [
    { ImageID: '1', FileName: 'a.jpg', IsPrimaryImage: true },
    { ImageID: '2', FileName: null, IsPrimaryImage: false },
  ],
  ProductAccessories: [{ AccessorySKU: 'B' }],
  ProductSubstitutions: [{ SubstituteSKU: 'C' }],
  ProductComposition: [{ MaterialCode: 'PES', MaterialDescription: '', CompositionPercentage: 95.5 }],
  ProductPrices: [
    {
      PriceListCode: 'EUR',
      PriceListName: 'Euro',
      CurrencyCode: 'EUR',
      SKU: '0012',
      PriceExclVAT: 30.1875,
      MOQ: null,
      OrderMultiple: null,
    },
  ],
});

const FULL_ROWS = (line: number) => ({
  products: [{ line, SKU: '0012', Name: 'Coat "x"', PackagedWeight_in_g: '12.5', CartonQty: '6' }],
  product_images: [
    {
      line,
      SKU: '0012',
      'ProductImages.ImageID': '1',
      'ProductImages.FileName': 'a.jpg',
      'ProductImages.IsPrimaryImage': 'true',
    },
    { line, SKU: '0012', 'ProductImages.ImageID': '2', 'ProductImages.IsPrimaryImage': 'false' },
  ],
  product_accessories: [{ line, SKU: '0012', 'ProductAccessories.AccessorySKU': 'B' }],
  product_substitutions: [{ line, SKU: '0012', 'ProductSubstitutions.SubstituteSKU': 'C' }],
  product_composition: [
    {
      line,
      SKU: '0012',
      'ProductComposition.MaterialCode': 'PES',
      'ProductComposition.CompositionPercentage': '95.5',
    },
  ],
});

test.each([
  ['NDJSON', `\n${FULL}\n`],
  ['an array', `[\n${FULL}]`],
  ['NDJSON with a byte-order mark', `\uFEFF\n${FULL}`],
  ['gzip', gzipSync(`\n${FULL}`)],
])('a product and its nested arrays become rows of their tables: %s', async (_, content) => {
  expect(await read(content)).toMatchObject({ rows: FULL_ROWS(2), problems: [] });
});

test('an empty array has no rows, but an empty file is a fault', async () => {
  expect((await read('[]')).problems).toEqual([]);
  expect((await read('')).problems).toEqual([expect.stringContaining('the file is empty')]);
});

test('numbers keep all their digits', async () => {
  const content = FULL.replace('12.5', '12.3400000000000000000000001').replace('95.5', '1E1');
  const { rows } = await read(content);
  expect(rows.products).toMatchObject([{ PackagedWeight_in_g: '12.3400000000000000000000001' }]);
  expect(rows.product_composition).toMatchObject([{ 'ProductComposition.CompositionPercentage': '1E1' }]);
});

test('unknown keys are reported once, at every level and even in arrays that are not imported', async () => {
  const content = product({
    barcode: 'x',
    Xyz: 1,
    ProductImages: [{ ImageID: '1', FileName: 'x', IsPrimaryImage: true, Filename: 'y' }],
    ProductPrices: [{ Price: 1 }],
  });
  expect((await read(content.replace('"Barcode":null,', ''))).problems).toEqual([
    '1: barcode: unknown key; did you mean Barcode?',
    '1: Xyz: unknown key',
    '1: ProductImages.Filename: unknown key',
    '1: ProductPrices.Price: unknown key',
  ]);
});

test('only the first 20 unknown keys of an object are named', async () => {
  const others = Object.fromEntries(Array.from({ length: 22 }, (_, index) => [`x${index}`, 1]));
  const { problems } = await read(product({ ...others, ProductPrices: [others] }));
  expect(problems).toHaveLength(42);
  expect(problems[19]).toBe('1: x19: unknown key');
  expect(problems[20]).toBe('1: : … and 2 more unknown keys');
  expect(problems[41]).toBe('1: ProductPrices: … and 2 more unknown keys');
});

/** Removes these parts from the text of a product. */
const without = (text: string, ...parts: string[]) => parts.reduce((left, part) => left.replace(part, ''), text);

test('a missing required key is reported for each element, and the other cells of its row are still read', async () => {
  const { rows, problems } = await read(`${without(FULL, '"SKU":"0012",')}\n${without(FULL, '"MaterialCode":"PES",')}`);
  expect(problems).toEqual([
    '1: SKU: missing key; every element needs it',
    '2: ProductComposition.MaterialCode: missing key; every element needs it',
  ]);
  expect(rows.products).toMatchObject([{ CartonQty: '6' }, { SKU: '0012' }]);
  expect(rows.product_images).toHaveLength(2);
});

test('a key missing from all elements is not a column, and an array missing from all products is not a table', async () => {
  const lean = without(FULL, '"Name":"Coat \\"x\\"",', '"ProductAccessories":[{"AccessorySKU":"B"}],');
  const bare = lean.replaceAll(/"FileName":[^,]+,/g, '');
  const { rows, problems, columns, notes } = await read(`[${bare},\n${bare.replace('0012', '0013')}]`);
  expect(problems).toEqual([]);
  expect(columns.products).not.toContain('Name');
  expect(columns.products).toEqual(expect.arrayContaining(['SKU', 'Status', 'ProductCompositionText']));
  expect(columns.product_images).toEqual(['SKU', 'ImageID', 'IsPrimaryImage']);
  expect(rows.product_images).toHaveLength(4);
  expect(Object.keys(columns)).not.toContain('product_accessories');
  expect(notes).toEqual(['products.json: no product has ProductAccessories; product_accessories stays unchanged']);
});

test('a file without a product has every column and every array', async () => {
  const { columns, notes } = await read('[]');
  expect(columns.products).toEqual(columnsOf(Product).map(({ name }) => name));
  const arrays = arraysOf(Product).filter(({ name }) => name !== 'ProductPrices');
  expect(Object.keys(columns)).toEqual(['products', ...arrays.map(({ resource }) => tableOf(resource))]);
  expect(notes).toEqual([]);
});

test('a key that only some elements have is reported once, with one element that has it and one that lacks it', async () => {
  const [a, b, c] = ['A', 'B', 'C'].map((SKU) => product({ SKU }));
  const noName = '"Name":null,';
  expect((await read([a, without(b!, noName), without(c!, noName)].join('\n'))).problems).toEqual([
    '2: Name: missing key in SKU "B", but SKU "A" has it; give the key to all elements or to none',
  ]);
  expect((await read([without(a!, noName), b, c].join('\n'))).problems).toEqual([
    '2: Name: missing key in SKU "A", but SKU "B" has it; give the key to all elements or to none',
  ]);
  const images = [
    { ImageID: '1', FileName: 'x', IsPrimaryImage: null },
    { ImageID: '2', IsPrimaryImage: null },
  ];
  expect((await read(product({ ProductImages: images }))).problems).toEqual([
    '1: ProductImages.FileName: missing key in element 2 of SKU "A", but element 1 of SKU "A" has it; give the key to all elements or to none',
  ]);
  expect((await read(`${a}\n${without(b!, '"ProductImages":[],')}`)).problems).toEqual([
    '2: ProductImages: missing key in SKU "B", but SKU "A" has it; give the key to all elements or to none',
  ]);
});

test.each([
  ['Barcode', 4006381333931, 'must be text, in quotes: a number loses its leading zeros'],
  ['SKU', 12, 'must be text, in quotes: a number loses its leading zeros'],
  ['Name', true, 'must be text, in quotes'],
  ['Name', ['x'], 'must be text, in quotes'],
  ['Name', { en: 'x' }, 'must be text, in quotes'],
  ['CartonQty', '6', 'must be a number, without quotes'],
  ['CartonQty', true, 'must be a number, without quotes'],
  ['PackagedWeight_in_g', '12.5', 'must be a number, without quotes'],
  ['PackagedWeight_in_g', [], 'must be a number, without quotes'],
])('%s is an error of its cell if its value is %j', async (key, value, message) => {
  const { problems } = await read(`${product({})}\n${product({ [key]: value })}`);
  expect(problems).toEqual([expect.stringContaining(`2: ${key}: ${message}`)]);
});

test.each([1, 0, 'true', 'yes', []])('IsPrimaryImage cannot be %j', async (value) => {
  const images = [{ ImageID: '1', FileName: null, IsPrimaryImage: value }];
  expect((await read(product({ ProductImages: images }))).problems).toEqual([
    '1: ProductImages.IsPrimaryImage: must be true, false or null',
  ]);
});

test('a surrogate pair in escapes is read as one character', async () => {
  const { rows } = await read(FULL.replace('Coat', '\\ud83d\\ude00'));
  expect(rows.products).toMatchObject([{ Name: '😀 "x"' }]);
});

test.each([
  [product({ ProductImages: null }), 'ProductImages: must be an array; write [] for no elements'],
  [product({ ProductPrices: {} }), 'ProductPrices: must be an array; write [] for no elements'],
  [product({ ProductImages: ['a.jpg'] }), 'ProductImages: has an element that is not an object'],
  [product({ ProductPrices: [1] }), 'ProductPrices: has an element that is not an object'],
  ['"A"', ': expected a product, which is an object in { and }'],
  ['[{}]', ': expected a product, which is an object in { and }'],
  ['1e3', ': expected a product, which is an object in { and }'],
  ['null', ': expected a product, which is an object in { and }'],
  ['{"SKU":"A",}', ': this is not valid JSON: Quoted object key expected'],
  [FULL.replace('"SKU"', '"SKU":"x","SKU"'), ': the key "SKU" occurs twice'],
  [FULL.replace('"SKU"', '"SKU":"0012","SKU"'), ': an object in this element has a key twice with the same value'],
])('an element of another shape is reported once, and the next product is read: %#', async (element, problem) => {
  const { rows, problems } = await read(`[${element},\n${FULL}]`);
  expect(problems).toEqual([expect.stringContaining(`1: ${problem}`)]);
  expect(rows.products!.at(-1)).toMatchObject({ line: 2, SKU: '0012' });
  expect(rows.product_accessories!.at(-1)).toMatchObject({ line: 2, SKU: '0012' });
});

test.each(['12', 'null', '""', '" "'])('skips nested rows of a product with the SKU %s', async (sku) => {
  const { rows } = await read(FULL.replace('"SKU":"0012"', `"SKU":${sku}`));
  expect(rows.products).toHaveLength(1);
  expect(rows.product_images).toEqual([]);
});

test.each([
  [
    'that is incomplete',
    `${FULL}\n${FULL.slice(0, 99)}`,
    '2: : the file ends within the element that starts here; check that the file is complete',
  ],
  ['with two arrays', `[${FULL}]\n[]`, '2: : expected the end of the file, but found "["'],
  ['with bytes that are not UTF-8', Buffer.from(`${FULL}\n"\xe9"`, 'latin1'), '2: : this line is not valid UTF-8'],
])('a file %s is a fault, and the products before it are read', async (_, content, problem) => {
  const { rows, problems } = await read(content);
  expect(problems).toEqual([expect.stringContaining(problem)]);
  expect(rows).toMatchObject(FULL_ROWS(1));
});
