import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IMPORT_TABLES } from '../../import-tables.js';
import { ImportRefused } from '../../problems.js';
import { parseMapping, readMapping } from './mapping.js';

/** Returns all faults of a map, as an import prints them. */
function faults(text: string): string[] {
  try {
    parseMapping(text, 'map.yaml');
  } catch (error) {
    if (error instanceof ImportRefused) return error.message.split('\n').slice(0, -1);
    throw error;
  }
  return [];
}

/** Returns the faults of a rule for a column of products, without the place. */
const ruleFaults = (rule: string, column = 'Name') =>
  faults(`products:\n  columns:\n    SKU: sku\n    ${column}: ${rule}\n`).map((fault) =>
    fault.replace(`map.yaml:4: products.${column}`, ''),
  );

test('a map in YAML and the same map in JSON are equal', async () => {
  const yaml = "products:\n  skip: { type: [a, ''] }\n  columns: { SKU: sku, Name: { from: name, prepend: 'x' } }\n";
  const json = {
    products: { skip: { type: ['a', ''] }, columns: { SKU: 'sku', Name: { from: 'name', prepend: 'x' } } },
  };
  const folder = await mkdtemp(join(tmpdir(), 'mapping-'));
  await writeFile(join(folder, 'map.json'), JSON.stringify(json, null, '\t'));
  expect(await readMapping(join(folder, 'map.json'))).toEqual(parseMapping(yaml, 'map.yaml'));
  await writeFile(join(folder, 'map.yaml'), Buffer.from(`# Größe\n${yaml}`, 'latin1'));
  await expect(readMapping(join(folder, 'map.yaml'))).rejects.toThrow('map.yaml: the map is not valid UTF-8');
  await rm(folder, { recursive: true });
  await expect(readMapping('src')).rejects.toThrow(`src: this is a folder; name a file`);
  await expect(readMapping(join(folder, 'map.json'))).rejects.toThrow('there is no such file or folder');
});

test('tables and columns have the order of the import, whatever the order in the map', () => {
  const { tables } = parseMapping(
    'stock: { columns: { AvailableQTY: q, SKU: s, WarehouseCode: { constant: W } } }\nproducts: { columns: { Name: n, SKU: s } }',
    'map.yaml',
  );
  expect(tables.map(({ table, columns }) => [table.name, ...columns.map(({ column }) => column.name)])).toEqual([
    ['products', 'SKU', 'Name'],
    ['stock', 'WarehouseCode', 'SKU', 'AvailableQTY'],
  ]);
});

test('numbers and flags keep their spelling', () => {
  const { tables } = parseMapping(
    'products: { columns: { SKU: 007, Name: { constant: 1.10 }, Status: { from: 1, values: { 0: 00, 0.0: true, 1e3: x } } } }',
    'map.yaml',
  );
  expect(tables[0]!.columns.map(({ rule }) => rule)).toEqual([
    expect.objectContaining({ from: ['007'] }),
    { kind: 'constant', text: '1.10' },
    expect.objectContaining({
      from: ['1'],
      values: new Map([
        ['0', '00'],
        ['0.0', 'true'],
        ['1e3', 'x'],
      ]),
    }),
  ]);
});

test.each([
  ['invalid YAML', 'products: { columns', 'map.yaml:1: the map is not valid YAML or JSON: '],
  ['two documents', 'products:\n---\nstock:\n', 'map.yaml:2: the map is not valid YAML or JSON: '],
  ['a tag', 'products: !!table x', 'map.yaml:1: the map is not valid YAML or JSON: '],
  ['an unknown anchor', '\nproducts: *other', 'map.yaml:2: *other has no anchor before it'],
  ['an anchor within itself', 'products:\n  columns: &c { SKU: [*c] }', 'map.yaml:2: *c contains itself'],
])('%s is the only problem that is reported', (_, text, fault) => {
  expect(faults(text)).toEqual([expect.stringContaining(fault)]);
});

const COLUMNS = '{ columns: { SKU: sku } }';

test.each([
  ['', ['map.yaml:1: must contain keys with values']],
  ['[]', ['map.yaml:1: must contain keys with values']],
  ['{}', ['map.yaml:1: the map uses no column of the file; name a table and its columns']],
  [`prodcts: ${COLUMNS}\nproducts: ${COLUMNS}`, ['map.yaml:1: prodcts: unknown key; did you mean products?']],
  [
    `offers: ${COLUMNS}\nproducts: ${COLUMNS}`,
    [
      expect.stringMatching(
        /^map\.yaml:1: offers: unknown key; the valid keys are file, headers, only, skip, price_lists, /,
      ),
    ],
  ],
  [`products: ${COLUMNS}\nproducts: ${COLUMNS}`, ['map.yaml:2: products: this key occurs twice']],
  [`products: ${COLUMNS}\n? [a]\n: b`, ["map.yaml:2: ?: a key must be text; write '' for an empty key"]],
  [
    'products:\n  columns:\n    SKU: sku\n    name: name\n    Colour: c',
    [
      'map.yaml:4: products.name: unknown key; did you mean Name?',
      expect.stringMatching(/^map\.yaml:5: products\.Colour: unknown key; the valid keys are SKU, Name, /),
    ],
  ],
  ['products:\n  columns:\n    SKU: a\n    SKU: b', ['map.yaml:4: products.SKU: this key occurs twice']],
  [
    'products:\n  column: { SKU: sku }',
    [
      'map.yaml:1: products: columns must include SKU, which must not be empty',
      'map.yaml:2: products.column: unknown key; did you mean columns?',
    ],
  ],
  [
    'products: SKU',
    [
      'map.yaml:1: products: must contain keys with values',
      'map.yaml:1: products: columns must include SKU, which must not be empty',
    ],
  ],
  [
    '\nprices:\n  columns: { SKU: sku, Price: p }',
    ['map.yaml:2: prices: columns must include PriceListCode, DiscountEligible, which must not be empty'],
  ],
  [
    'price_lists: { columns: { PriceListCode: { constant: A }, CurrencyCode: { constant: EUR } } }',
    ['map.yaml:1: the map uses no column of the file; name a table and its columns'],
  ],
  [
    `products: ${COLUMNS}\nwarehouses:\n  columns: { WarehouseCode: { constant: A } }\n  only: { a: b }\n  distinct: true`,
    [4, 5].map((line) =>
      expect.stringContaining(
        `map.yaml:${line}: warehouses.${line === 4 ? 'only' : 'distinct'}: has no effect: all columns are`,
      ),
    ),
  ],
  [
    'products:\n  only: a\n  skip: { a: , b: { c: d } }\n  distinct: maybe\n  columns: { SKU: sku }',
    [
      'map.yaml:2: products.only: must contain keys with values',
      "map.yaml:3: products.skip.a: must be text; write '' for no value",
      "map.yaml:3: products.skip.b: must be text; write '' for no value",
      'map.yaml:4: products.distinct: must be true or false',
    ],
  ],
  [
    `headers: { sku: [Art, sku] }\nproducts: ${COLUMNS}`,
    ['map.yaml:1: headers.sku: sku is already a header of the map'],
  ],
  [`headers: { other: x }\nproducts: ${COLUMNS}`, []],
  [
    `products:\n  - ${COLUMNS}\n  - columns: { SKU: sku, Name: n }`,
    ['map.yaml:1: products: block 1 gives SKU, but block 2 gives SKU, Name; give the same columns in all blocks'],
  ],
  [
    `products:\n  - ${COLUMNS}\n  - { skp: 1 }`,
    [
      'map.yaml:1: products: block 1 gives SKU, but block 2 gives ; give the same columns in all blocks',
      'map.yaml:3: products[2].skp: unknown key; did you mean skip?',
      expect.stringContaining('map.yaml:3: products[2]: columns must include'),
    ],
  ],
  ['products: []', ['map.yaml:1: products: must be a list with at least one entry']],
  [
    `file: { delimiter: '""', encoding: utf-9, header: 0, decimal: ';', thousands: x, headr: 1 }\nproducts: ${COLUMNS}`,
    [
      'map.yaml:1: file.headr: unknown key; did you mean header?',
      'map.yaml:1: file.delimiter: must be one character, such as , ; or |, but not a quote; write tab for a tab',
      expect.stringContaining('map.yaml:1: file.encoding: must be a known encoding, not "utf-9"; use utf-8, '),
      'map.yaml:1: file.header: must be the line number of the header, none, or a list of column names',
      'map.yaml:1: file.decimal: must be one of "." "," "either"',
      `map.yaml:1: file.thousands: must be one of "." "," "'" "’" " " "_"`,
    ],
  ],
  [
    `file: { decimal: ',', thousands: ',' }\nproducts: ${COLUMNS}`,
    ['map.yaml:1: file.thousands: cannot be the same as decimal'],
  ],
  [
    'product_images:\n  columns: { SKU: s, ImageID: i, FileName: { from: i, split: "," } }',
    [
      'map.yaml:1: product_images: FileName is split into rows that would all have the same key; ' +
        'also split SKU or ImageID, or add item, deepest or key',
    ],
  ],
])('a fault of the map is reported with its line: %#', (text, expected) => {
  expect(faults(text)).toEqual(expected);
});

test.each([
  ["''", ': must not be empty'],
  ['', ": must be text; write '' for no value"],
  ['{}', ': needs from (a header), constant or join'],
  ['{ from: a, splt: "," }', '.splt: unknown key; did you mean split?'],
  ['[]', ': must be a list with at least one entry'],
  ["{ from: '' }", '.from: must not be empty'],
  ['{ from: [a, b] }', '.from: several headers need split, which combines their lists'],
  ["{ from: [a, b], split: ',', key: k }", '.from: key reads one cell, so from must be one header'],
  ["{ from: a, split: '', item: 1 }", '.split: must not be empty'],
  ['{ from: a, item: 1 }', '.item: needs split in the same rule'],
  ['{ from: a, key: k }', '.key: needs split in the same rule'],
  ['{ from: a, number: true }', '.number: needs split in the same rule'],
  ['{ from: a, quotes: true }', '.quotes: needs split in the same rule'],
  ["{ from: a, escape: '\\' }", '.escape: needs split in the same rule'],
  ['{ from: a, otherwise: x }', '.otherwise: needs values in the same rule'],
  ['{ from: a, keep: true }', '.keep: needs values in the same rule'],
  ['{ from: a, split: x, item: 1, key: k }', '.key: cannot be used together with item'],
  ['{ from: a, split: x, item: 1, quotes: true, escape: y }', '.escape: cannot be used together with quotes'],
  ['{ from: a, values: { a: b }, keep: true, otherwise: x }', '.keep: cannot be used together with otherwise'],
  ['{ from: a, split: x, item: 0 }', '.item: must be the position of an element, from 1, or last'],
  ['{ from: a, split: x, item: 1, quotes: 1 }', '.quotes: must be true or false'],
  ['{ from: a, required: maybe }', '.required: must be true, false or found'],
  ['{ from: a, required: found }', '.required: found needs row or above in the same rule'],
  ['{ from: a, required: found, row: { b: c } }'],
  ['{ from: a, times: 2 }', '.times: is for columns that hold a number'],
  ['{ from: a, values: x }', '.values: must contain keys with values'],
  ['{ from: a, values: { x: { y: z } } }', ".values.x: must be text; write '' for no value"],
  ["{ from: a, replace: { '': x } }", '.replace.: the text to replace must not be empty'],
  ['{ from: a, prepend: [x] }', ".prepend: must be text; write '' for no value"],
  [
    '{ from: a, row: b }',
    '.row: must contain keys with values',
    '.row: must be this, or headers with the values of their cells',
  ],
  ['{ from: a, row: { b: c, d: e } }'],
  ['{ from: a, row: [this, { b: c }] }'],
  ['{ from: a, row: { b: c }, above: d }', '.above: cannot be used together with row'],
  ['{ from: a, above: [b] }', ".above: must be text; write '' for no value"],
  ["{ from: a, split: ',', deepest: '' }", '.deepest: must not be empty'],
  ["{ from: a, split: ',', item: 1, root: false }", '.root: needs deepest in the same rule'],
  ["{ from: a, split: ',', item: 1, deepest: / }", '.deepest: cannot be used together with item'],
  ['{ from: a, decode: xml }', '.decode: must be html'],
  ['{ from: a, date: DD.MM.YYYY }', '.date: is for columns that hold a date'],
  ["{ from: a, thousands: '.' }", '.thousands: is for columns that hold a number'],
  ['{ from: a, shorten: 4 }', '.shorten: must be a number of characters from 16 to 2048'],
  ["{ join: x, of: [a], shorten: 'x' }", '.shorten: must be a number of characters from 16 to 2048'],
  [
    '{ from: a, optional: true, required: true }',
    ': optional and required exclude each other, except in a list, where the file must have one of the headers',
  ],
  ['[{ from: a, optional: true, required: true }, b]'],
  ["{ from: a, row: { b: { from: c, split: ',' } } }", '.row.b: cannot be a list; add item, deepest or key'],
  ['{ constant: a, prepend: b }', '.prepend: has no effect together with constant'],
  ['{ constant: ~ }', ".constant: must be text; write '' for no value"],
  ['{ join: x }', ': join and of must be used together'],
  ['{ join: x, of: [a], times: 2 }', '.times: has no effect together with join and of'],
  [
    "{ join: x, of: [a, { from: b, split: ',' }] }",
    ': a part of join cannot be split into rows; add item, deepest or key to it',
  ],
])('a rule for a text column has the expected faults: %s', (rule, ...expected) => {
  expect(ruleFaults(rule)).toEqual(expected);
});

test.each([
  [
    'PackagedWeight_in_g',
    '{ from: a, times: 0 }',
    '.times: must be a number above 0, with a point before any decimals',
  ],
  [
    'PackagedWeight_in_g',
    '{ from: a, times: 1e3 }',
    '.times: must be a number above 0, with a point before any decimals',
  ],
  ['PackagedWeight_in_g', '{ join: x, of: [a] }', ': join is for columns that hold text or a date'],
  ['PackagedWeight_in_g', "{ constant: '1,5' }", expect.stringContaining('.constant: "1,5" is not a decimal')],
  ['CartonQty', '{ from: a, values: { x: 1.5 } }', '.values.x: "1.5" is not a whole number of at most 9 digits'],
  [
    'CartonQty',
    '{ from: a, values: { x: 1 }, otherwise: y }',
    '.otherwise: "y" is not a whole number of at most 9 digits',
  ],
  ['Gender', `{ constant: ${'x'.repeat(65)} }`, '.constant: has 65 characters, 64 is the maximum'],
  [
    'PackagedWeight_in_g',
    '{ from: a, times: { from: b, values: { kg: 1000, lb: x } } }',
    '.times: must be a number above 0, with a point before any decimals',
  ],
  ['PackagedWeight_in_g', '{ from: a, shorten: 64 }', '.shorten: is for columns that hold text'],
  ['CartonQty', "{ from: a, values: { x: '' }, otherwise: '' }"],
  ['CartonQty', '{ from: a, values: { x: 1.5 }, times: 2 }'],
])('a rule for %s has the expected faults: %s', (column, rule, ...expected) => {
  expect(ruleFaults(rule, column)).toEqual(expected);
});

test('a list cannot mix rules that split a cell into rows with others', () => {
  const map = "product_images: { columns: { SKU: s, ImageID: [{ from: a, split: ',' }, b] } }";
  expect(faults(map)).toEqual([
    'map.yaml:1: product_images.ImageID: either all of these rules must split a cell into rows, or none of them',
  ]);
});

test('a constant for a key column must not be empty', () => {
  expect(faults("products: { columns: { SKU: { constant: '' }, Name: n } }")).toEqual([
    'map.yaml:1: products.SKU.constant: is empty, but a value is required',
  ]);
});

const isWhole = (block: string) => /^ *(- )?columns:|^headers:/m.test(block);

describe('docs/mappings.md', () => {
  let blocks: string[] = [];
  let inTable: string[] = [];
  beforeAll(async () => {
    const docs = await readFile(join('docs', 'mappings.md'), 'utf8');
    blocks = [...docs.matchAll(/```yaml\n([^`]+)```/g)].map(([, block]) =>
      block!.replaceAll(`\n${/^ */.exec(block!)![0]}`, '\n').trimStart(),
    );
    inTable = [...docs.matchAll(/^\| .* \| `([A-Z]\w+: [^`]+)`/gm)].map(([, line]) => line!);
  });

  const TABLES = ['products', 'stock', 'prices'].map((name) => IMPORT_TABLES.find((table) => table.name === name)!);

  /** A map with this line among the columns of a table that has the column. */
  function around(line: string): string {
    const [column = ''] = line.split(':');
    const table = TABLES.find(({ columns }) => columns.some(({ name }) => name === column))!;
    const others = table.columns.filter(
      ({ name, primary, nullable }) => name !== column && (primary || nullable === false),
    );
    const given = others.map(
      ({ name }) => `    ${name}: ${name === 'DiscountEligible' ? "{ constant: 'true' }" : 'x'}\n`,
    );
    return `${table.name}:\n  columns:\n${given.join('')}    ${line}\n`;
  }

  test('has only valid examples', () => {
    const whole = blocks
      .filter(isWhole)
      .map((block) => (block.startsWith('headers') ? `${block}stock: ${STOCK}` : block));
    const lines = blocks.filter((block) => !isWhole(block)).flatMap((block) => block.trim().split('\n'));
    const maps = [...whole, ...[...lines, ...inTable].map(around)];
    expect(maps.length).toBeGreaterThan(45);
    for (const map of maps)
      expect([map, ...faults(map)]).toEqual([map, ...(map.startsWith('warehouses') ? [NOTHING] : [])]);
  });

  test.each([
    ['the map', 'nosuch: 1'],
    ['a file', 'file: { nosuch: 1 }'],
    ['a table', 'products: { nosuch: 1 }'],
    ['a column', 'products: { columns: { SKU: { nosuch: 1 } } }'],
  ])('has an example for each key of %s', (_, map) => {
    const [, list = ''] = /the valid keys are (.*)/.exec(faults(map).join('\n')) ?? [];
    // All tables have the same keys, so a new table needs no example.
    const keys = list.split(', ').filter((key) => !IMPORT_TABLES.some(({ name }) => name === key));
    expect(keys.length).toBeGreaterThan(3);
    const examples = [...blocks, ...inTable].join('\n');
    expect(keys.filter((key) => !new RegExp(`(^|[\\s{,])${key}:`, 'm').test(examples))).toEqual([]);
  });
});

/** A table for examples that have only headers. */
const STOCK = '{ columns: { SKU: sku, AvailableQTY: price, WarehouseCode: sku } }';
/** The fault of an example that consists of constants, because it is not a whole map. */
const NOTHING = 'map.yaml:1: the map uses no column of the file; name a table and its columns';

const ten = (text: string) => `[${Array(10).fill(text).join(', ')}]`;

test('aliases that repeat aliases are refused before they fill the memory', () => {
  const lists = ['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((name, at) => `&${name} ${ten(`*${'abcdefgh'[at]}`)}`);
  const map = `products: { columns: { SKU: sku, Name: [&a ${ten('title')}, ${lists.join(', ')}] } }`;
  expect(() => parseMapping(map, 'map.yaml')).toThrow('the map has more than 100000 values');
});
