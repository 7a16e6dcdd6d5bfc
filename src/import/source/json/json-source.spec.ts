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

/** A product of the shape that `GET /products` answers, with null and [] for all but its SKU and the given members. */
function product(members: Record<string, unknown>): string {
  const scope = { discountPercentage: '0' } as never;
  const empty = JSON.parse(jsonWriter(Product)({ SKU: 'A' }, scope)) as Record<string, unknown>;
  return JSON.stringify({ ...empty, ...members });
}

interface Reading {
  /** By table: rows as their line and the cells that have a value, by label. */
  rows: Record<string, unknown[]>;
  problems: string[];
  /** By table: the columns that the file has. */
  columns: Record<string, string[]>;
  notes: string[];
}

/** What all sources of a file give. */
async function read(content: string | Buffer): Promise<Reading> {
  const path = join(folder, 'products.json');
  writeFileSync(path, content);
  const rows: Record<string, unknown[]> = {};
  const problems = new Set<string>();
  const columns: Record<string, string[]> = {};
  const { sources, notes } = productSources(await InputFile.at(path), { encoding: 'utf-8', decimalComma: false });
  for (const source of sources) {
    rows[source.table.name] = [];
    const told: string[] = [];
    const report = (line: number, column: string, message: string) =>
      void told.push(`${line}: ${column}: ${message}`);
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
      // Each source meets it.
      problems.add(`${fault.line}: ${fault.column}: ${fault.message}`);
    }
    for (const problem of told) {
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

test('an empty array holds nothing, an empty file is a fault', async () => {
  expect((await read('[]')).problems).toEqual([]);
  expect((await read('')).problems).toEqual([expect.stringContaining('the file is empty')]);
});

test('numbers keep all of their digits', async () => {
  const content = FULL.replace('12.5', '12.3400000000000000000000001').replace('95.5', '1E1');
  const { rows } = await read(content);
  expect(rows.products).toMatchObject([{ PackagedWeight_in_g: '12.3400000000000000000000001' }]);
  expect(rows.product_composition).toMatchObject([{ 'ProductComposition.CompositionPercentage': '1E1' }]);
});

test('keys that are unknown are told once, at every level, also in arrays that are not imported', async () => {
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

test('of many unknown keys of an object the first 20 are named', async () => {
  const others = Object.fromEntries(Array.from({ length: 22 }, (_, index) => [`x${index}`, 1]));
  const { problems } = await read(product({ ...others, ProductPrices: [others] }));
  expect(problems).toHaveLength(42);
  expect(problems[19]).toBe('1: x19: unknown key');
  expect(problems[20]).toBe('1: : … and 2 more unknown keys');
  expect(problems[41]).toBe('1: ProductPrices: … and 2 more unknown keys');
});

/** A product whose text lacks these parts. */
const without = (text: string, ...parts: string[]) => parts.reduce((left, part) => left.replace(part, ''), text);

test('a required key that is missing is told for each element, and the other cells are rows all the same', async () => {
  const { rows, problems } = await read(
    `${without(FULL, '"SKU":"0012",')}\n${without(FULL, '"MaterialCode":"PES",')}`,
  );
  expect(problems).toEqual([
    '1: SKU: missing key; each element needs it',
    '2: ProductComposition.MaterialCode: missing key; each element needs it',
  ]);
  expect(rows.products).toMatchObject([{ CartonQty: '6' }, { SKU: '0012' }]);
  expect(rows.product_images).toHaveLength(2);
});

test('a key that no element has is no column, and an array that no product has is no table', async () => {
  const lean = without(FULL, '"Name":"Coat \\"x\\"",', '"ProductAccessories":[{"AccessorySKU":"B"}],');
  const bare = lean.replaceAll(/"FileName":[^,]+,/g, '');
  const { rows, problems, columns, notes } = await read(`[${bare},\n${bare.replace('0012', '0013')}]`);
  expect(problems).toEqual([]);
  expect(columns.products).not.toContain('Name');
  expect(columns.products).toEqual(expect.arrayContaining(['SKU', 'Status', 'ProductCompositionText']));
  expect(columns.product_images).toEqual(['SKU', 'ImageID', 'IsPrimaryImage']);
  expect(rows.product_images).toHaveLength(4);
  expect(Object.keys(columns)).not.toContain('product_accessories');
  expect(notes).toEqual(['products.json: no product has ProductAccessories; product_accessories stays as it is']);
});

test('a file without a product has every column and every array', async () => {
  const { columns, notes } = await read('[]');
  expect(columns.products).toEqual(columnsOf(Product).map(({ name }) => name));
  const arrays = arraysOf(Product).filter(({ name }) => name !== 'ProductPrices');
  expect(Object.keys(columns)).toEqual(['products', ...arrays.map(({ resource }) => tableOf(resource))]);
  expect(notes).toEqual([]);
});

test('a key that is in some elements only is told once, with one element that has it and one that lacks it', async () => {
  const [a, b, c] = ['A', 'B', 'C'].map((SKU) => product({ SKU }));
  const noName = '"Name":null,';
  expect((await read([a, without(b!, noName), without(c!, noName)].join('\n'))).problems).toEqual([
    '2: Name: missing key in SKU "B", and SKU "A" has it; all elements have to have a key, or none of them',
  ]);
  expect((await read([without(a!, noName), b, c].join('\n'))).problems).toEqual([
    '2: Name: missing key in SKU "A", and SKU "B" has it; all elements have to have a key, or none of them',
  ]);
  const images = [
    { ImageID: '1', FileName: 'x', IsPrimaryImage: null },
    { ImageID: '2', IsPrimaryImage: null },
  ];
  expect((await read(product({ ProductImages: images }))).problems).toEqual([
    '1: ProductImages.FileName: missing key in element 2 of SKU "A", and element 1 of SKU "A" has it; all elements have to have a key, or none of them',
  ]);
  expect((await read(`${a}\n${without(b!, '"ProductImages":[],')}`)).problems).toEqual([
    '2: ProductImages: missing key in SKU "B", and SKU "A" has it; all elements have to have a key, or none of them',
  ]);
});

test.each([
  ['Barcode', 4006381333931, 'has to be text, in quotes: leading zeros would be lost'],
  ['SKU', 12, 'has to be text, in quotes: leading zeros would be lost'],
  ['Name', true, 'has to be text, in quotes'],
  ['Name', ['x'], 'has to be text, in quotes'],
  ['Name', { en: 'x' }, 'has to be text, in quotes'],
  ['CartonQty', '6', 'has to be a number, without quotes'],
  ['CartonQty', true, 'has to be a number, without quotes'],
  ['PackagedWeight_in_g', '12.5', 'has to be a number, without quotes'],
  ['PackagedWeight_in_g', [], 'has to be a number, without quotes'],
])('%s of the kind of %j is an error of its cell', async (key, value, message) => {
  const { problems } = await read(`${product({})}\n${product({ [key]: value })}`);
  expect(problems).toEqual([expect.stringContaining(`2: ${key}: ${message}`)]);
});

test.each([1, 0, 'true', 'yes', []])('whether an image is the primary one is not said by %j', async (value) => {
  const images = [{ ImageID: '1', FileName: null, IsPrimaryImage: value }];
  expect((await read(product({ ProductImages: images }))).problems).toEqual([
    '1: ProductImages.IsPrimaryImage: has to be true, false or null',
  ]);
});

test('a whole character in escapes is text', async () => {
  const { rows } = await read(FULL.replace('Coat', '\\ud83d\\ude00'));
  expect(rows.products).toMatchObject([{ Name: '😀 "x"' }]);
});

test.each([
  [product({ ProductImages: null }), 'ProductImages: has to be an array, [] where there is no element'],
  [product({ ProductPrices: {} }), 'ProductPrices: has to be an array, [] where there is no element'],
  [product({ ProductImages: ['a.jpg'] }), 'ProductImages: has an element that is no object'],
  [product({ ProductPrices: [1] }), 'ProductPrices: has an element that is no object'],
  ['"A"', ': a product was expected, an object in { and }'],
  ['[{}]', ': a product was expected, an object in { and }'],
  ['1e3', ': a product was expected, an object in { and }'],
  ['null', ': a product was expected, an object in { and }'],
  ['{"SKU":"A",}', ': this is no JSON: Quoted object key expected'],
  [FULL.replace('"SKU"', '"SKU":"x","SKU"'), ': the key "SKU" is there twice'],
  [FULL.replace('"SKU"', '"SKU":"0012","SKU"'), ': one of its objects has a key twice, with the same value'],
])('%# what has another shape is told once, and the next product is read', async (element, problem) => {
  const { rows, problems } = await read(`[${element},\n${FULL}]`);
  expect(problems).toEqual([expect.stringContaining(`1: ${problem}`)]);
  expect(rows.products!.at(-1)).toMatchObject({ line: 2, SKU: '0012' });
  expect(rows.product_accessories!.at(-1)).toMatchObject({ line: 2, SKU: '0012' });
});

test.each(['12', 'null', '""', '" "'])('of a product whose SKU is %s nested rows are left out', async (sku) => {
  const { rows } = await read(FULL.replace('"SKU":"0012"', `"SKU":${sku}`));
  expect(rows.products).toHaveLength(1);
  expect(rows.product_images).toEqual([]);
});

test.each([
  ['cut', `${FULL}\n${FULL.slice(0, 99)}`, '2: : the file ends within the element that starts here; is it complete?'],
  ['of two arrays', `[${FULL}]\n[]`, '2: : "[" stands where the end of the file was expected'],
  ['of bytes that are no UTF-8', Buffer.from(`${FULL}\n"\xe9"`, 'latin1'), '2: : this line is not valid UTF-8'],
])('a file %s is a fault, after the products before it', async (_, content, problem) => {
  const { rows, problems } = await read(content);
  expect(problems).toEqual([expect.stringContaining(problem)]);
  expect(rows).toMatchObject(FULL_ROWS(1));
});
