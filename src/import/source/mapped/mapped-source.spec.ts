import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readMappedText } from '../../../../test/support/mapped-file.js';
import { InputFile } from '../input-file.js';
import { mappedSources } from './mapped-source.js';
import { parseMapping } from '../map/mapping.js';
import type { ReadingOptions } from '../table-source.js';

const read = (map: string, csv: string, options?: Partial<ReadingOptions>) =>
  readMappedText(csv, parseMapping(map, 'map.yaml'), options);

/** The values that a rule for a column gives for rows with the columns `sku`, `a` and `b`, or the problems. */
async function names(rule: string, rows: string[][], column = 'Name', options?: Partial<ReadingOptions>) {
  const lines = [['sku', 'a', 'b'], ...rows].map((cells) =>
    cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(),
  );
  const map = `products:\n  columns:\n    SKU: sku\n    ${column}: ${rule}\n`;
  const { tables, problems } = await read(map, lines.join('\n'), options);
  return problems.length ? problems : tables.products!.map((row) => row[column] ?? '');
}
const name = async (rule: string, a: string, b = '', column = 'Name', options?: Partial<ReadingOptions>) =>
  (await names(rule, [['S', a, b]], column, options))[0];

test.each([
  ['a', 'x y', '', 'x y'],
  ['{ from: a }', 'x', '', 'x'],
  ['{ constant: c }', 'x', '', 'c'],
  ["{ from: a, split: ',', item: 2 }", 'x, y', '', 'y'],
  ["{ from: a, split: ',', item: 3 }", 'x, y', '', ''],
  ["{ from: a, split: ',', item: last }", 'x, y', '', 'y'],
  ["{ from: [a, b], split: ',', item: last }", 'x, y', 'z', 'z'],
  ["{ from: a, split: ',', key: k }", 'j=1,k=2', '', '2'],
  ["{ from: a, split: ',', escape: '\\', item: 1 }", 'x\\, y,z', '', 'x, y'],
  ["{ from: a, split: ',', quotes: true, item: 1 }", '"x, y",z', '', 'x, y'],
  ["{ from: a, replace: { x: y, y: z, '.': '' } }", 'x.y.', '', 'yz'],
  ['{ from: a, replace: { \'\\n\': "\\n" } }', 'x\\ny', '', 'x\ny'],
  ['{ from: a, values: { x: y } }', ' x ', '', 'y'],
  ['{ from: a, values: { x: y } }', '', '', ''],
  ["{ from: a, values: { x: y, '': none } }", '', '', 'none'],
  ["{ from: a, values: { x: '' } }", 'x', '', ''],
  ['{ from: a, values: { x: y }, otherwise: z }', 'w', '', 'z'],
  ['{ from: a, values: { x: y }, otherwise: z }', '', '', ''],
  ['{ from: a, values: { x: y }, keep: true }', 'w', '', 'w'],
  ['{ from: a, values: { constructor: y }, keep: true }', 'toString', '', 'toString'],
  ['{ from: a, replace: { x: y }, values: { y: z }, prepend: "->" }', 'x', '', '->z'],
  ['{ from: a, prepend: "->" }', '', '', ''],
  ['[a, b]', '', 'y', 'y'],
  ['[a, b]', 'x', 'y', 'x'],
  ['[a, b, { constant: c }]', ' ', '', 'c'],
  ["{ join: ' / ', of: [a, b, { constant: c }] }", 'x', '', 'x / c'],
  ["{ join: '', of: [[a, b], b] }", '', 'y', 'yy'],
])('the rule %s gives the expected text for %j and %j', async (rule, a, b, value) => {
  expect(await name(rule, a, b)).toBe(value);
});

test.each([
  ['{ from: a, times: 1000 }', '0.085', '85'],
  ['{ from: a, times: 453.59237 }', '0.3', '136.0777'],
  ['{ from: a, times: 10, values: { one: 1.5 }, keep: true }', 'one', '15'],
  ['{ from: a, times: 10 }', '', ''],
  ['{ from: a, times: 2 }', 'x', expect.stringContaining('a (products.PackagedWeight_in_g): "x" is not a number')],
  ['a', '1,5', expect.stringContaining('a (products.PackagedWeight_in_g): "1,5" is not a decimal')],
])('the rule %s gives the expected number for %j', async (rule, a, value) => {
  expect(await name(rule, a, '', 'PackagedWeight_in_g')).toEqual(value);
});

test.each([
  ['PackagedWeight_in_g', 'a', '1,5', '1.5'],
  ['PackagedWeight_in_g', '{ from: a, times: 10 }', '1,25', '12.5'],
  ['PackagedWeight_in_g', "{ from: a, split: ';', item: 2 }", '1,5;2,5', '2.5'],
  ['PackagedWeight_in_g', "{ from: a, values: { '1,5': 1.25 } }", '1,5', '1.25'],
  ['PackagedWeight_in_g', '{ constant: 1.5 }', '', '1.5'],
  [
    'PackagedWeight_in_g',
    'a',
    '1.5',
    expect.stringContaining('export.csv:2: a (products.PackagedWeight_in_g): "1.5" '),
  ],
  ['CartonQty', 'a', '12', 12],
  ['Name', 'a', '1,5', '1,5'],
])('%s is read with a decimal comma by the rule %s from %j', async (column, rule, a, value) => {
  expect(await name(rule, a, '', column, { decimalComma: true })).toEqual(value);
});

test('a text that `values` does not list is an error of its cell', async () => {
  expect(
    await names('{ from: a, values: { x: y } }', [
      ['S', 'x', ''],
      ['T', 'z', ''],
    ]),
  ).toEqual(['export.csv:3: a (products.Name): "z" is not listed under values in the map; add it there']);
});

test('an unclosed quote is an error of its cell', async () => {
  expect(await name("{ from: a, split: ',', quotes: true, item: 1 }", '"x,y')).toBe(
    'export.csv:2: a (products.Name): has a quote that is never closed',
  );
});

const GROUPS = [
  ['1', 'g', 'first'],
  ['2', 'h', ''],
  ['3', 'g', 'third'],
  ['4', ' h ', 'fourth'],
  ['5', '', 'none'],
];

test('`row` takes the first cell that is not empty among all rows with the same text', async () => {
  expect(await names('{ from: b, row: { a: a } }', GROUPS)).toEqual(['first', 'fourth', 'first', 'fourth', '']);
});

const FAMILY = 'sku,type,parent,name\nA,x,P,\nP,parent,,Parent\nB,x,P,\nC,x,Q,own\n';
const familyNames = async (rule: string, csv = FAMILY) => {
  const map = `products: { skip: { type: parent }, columns: { SKU: sku, Name: ${rule} } }`;
  const { tables, problems } = await read(map, csv);
  return problems.length ? problems : tables.products!.map((row) => row.Name);
};

test('`row` also finds rows below and skipped rows', async () => {
  expect(await familyNames('[name, { from: name, row: { sku: parent } }]')).toEqual(['Parent', 'Parent', 'own']);
  expect(await familyNames('{ from: name, row: [this, { sku: parent }] }')).toEqual(['Parent', 'Parent', 'own']);
  expect(await familyNames('{ from: name, row: { sku: { from: parent, replace: { Q: P } } } }')).toEqual([
    'Parent',
    'Parent',
    'Parent',
  ]);
});

test('`row` with a key that no row has is an error, unless the value comes from elsewhere or may be empty', async () => {
  const fault =
    `export.csv:5: name (products.Name): no row of the file has the sku "Q"; ` +
    `export that row as well, or end the rule with { constant: '' } if it may be missing`;
  expect(await familyNames('{ from: name, row: { sku: parent } }')).toEqual([fault]);
  expect(await familyNames("{ join: ' ', of: [{ from: name, row: { sku: parent } }] }")).toEqual([fault]);
  expect(await familyNames("[{ from: name, row: { sku: parent } }, { constant: '' }]")).toEqual([
    'Parent',
    'Parent',
    undefined,
  ]);
  expect(await familyNames('[{ from: name, row: { sku: parent } }, { from: name, row: { name: name } }]')).toEqual([
    'Parent',
    'Parent',
    'own',
  ]);
});

test.each([
  ['', 'an empty cell of a row that is found', expect.stringContaining('is empty in the row that the map looks up')],
  ['x', 'a filled cell', 'x'],
])('`required: found` with %j reports only %s', async (parentName, _, expected) => {
  const map = 'products: { columns: { SKU: sku, Name: { from: name, row: { sku: parent }, required: found } } }';
  const { tables, problems } = await read(map, `sku,parent,name\nA,P,a\nP,,${parentName}\n`);
  expect(problems[0] ?? tables.products![0]!.Name).toEqual(expected);
  expect(problems.length || tables.products!.length).toBe(parentName ? 2 : 1);
});

test('`row` finds rows by several headers, and its key may itself be looked up', async () => {
  const csv = 'sku,parent,size,name\nA,,,Top\nB,A,,\nC,B,,\nD,A,L,Large\n';
  const key = '{ sku: { from: parent, row: { sku: parent } } }';
  expect(
    await familyNames(`[name, { from: name, row: ${key} }, { constant: none }]`, csv.replace('size', 'type')),
  ).toEqual(['Top', 'none', 'Top', 'Large']);
  const both = '{ parent: { constant: A }, size: { constant: L } }';
  const map = `products: { columns: { SKU: sku, Name: { from: name, row: ${both} } } }`;
  expect((await read(map, csv)).tables.products!.map((row) => row.Name)).toEqual(Array(4).fill('Large'));
});

test('`row` finds long keys and long texts, also for a list in a row below', async () => {
  const [key, other] = ['k'.repeat(3000), 'k'.repeat(2999)];
  const csv = `sku,parent,list\nA,${key},\n${other},,x\n${key},,"y,${'z'.repeat(200_000)}"\n`;
  const map = `product_images:
  skip: { parent: '' }
  columns: { SKU: sku, ImageID: { from: list, split: ',', item: 1, row: { sku: parent } } }`;
  expect((await read(map, csv)).tables.product_images).toEqual([{ SKU: 'A', ImageID: 'y' }]);
});

test('`row` reports no missing key if the file cannot be read to its end', async () => {
  const map = 'products: { columns: { SKU: sku, Name: { from: name, row: { sku: parent } } } }';
  const { problems } = await read(map, 'sku,parent,name\nA,P,\n"P,,Parent\n');
  expect(problems).toEqual([expect.stringContaining('export.csv:3: the record that starts here is not valid CSV')]);
});

const NESTED =
  'type,name,sku,price\nitem,Early,E,1\nProduct,Tote,T,45\nSKU,red,T-R,\nSKU,blue,T-B,50\nProduct,Hat,H,\nSKU,big,H-B,\n';

/** The weights that a rule gives for the rows, or the problems. */
async function nestedWeights(rule: string): Promise<string | string[]> {
  const { tables, problems } = await read(`products: { columns: { SKU: sku, PackagedWeight_in_g: ${rule} } }`, NESTED);
  return problems.length ? problems : tables.products!.map((row) => row.PackagedWeight_in_g ?? '').join();
}

test('`above` takes a cell from the nearest row that has the texts, from this row upwards (17)', async () => {
  expect(await nestedWeights('[price, { from: price, above: { type: Product } }]')).toBe('1,45,45,50,,');
  expect(await nestedWeights('{ from: price, above: { type: [Product, item] } }')).toBe('1,45,45,45,,');
  expect(await nestedWeights('{ from: price, above: price }')).toBe('1,45,45,50,50,50');
  expect(await nestedWeights('{ from: price, above: { type: Product } }')).toEqual([
    expect.stringContaining(
      'export.csv:2: price (products.PackagedWeight_in_g): no row above has "type Product"; export that row as well',
    ),
  ]);
});

const IMAGES = `
product_images:
  columns:
    SKU: sku
    ImageID: { from: files, split: ',' }
    FileName: { from: labels, split: ',', values: { bad: x }, keep: true }
    IsPrimaryImage: { from: files, split: ',', number: true, values: { 1: yes }, otherwise: no }
`;

test('elements at the same position of several lists make one row', async () => {
  const csv = 'sku,files,labels\nA,"1.jpg, 2.jpg","one,two"\nB,,\nC,"3.jpg,4.jpg",\nD,"5.jpg,","five,"\n';
  const { tables, problems } = await read(IMAGES, csv);
  expect(problems).toEqual([]);
  expect(tables.product_images!.map((row) => Object.values(row).join())).toEqual([
    'A,1.jpg,one,true',
    'A,2.jpg,two,false',
    'C,3.jpg,true',
    'C,4.jpg,false',
    'D,5.jpg,five,true',
  ]);
});

test('lists of different lengths are an error, and the other rows are read', async () => {
  const csv = 'sku,files,labels\nA,"1.jpg,2.jpg","one"\nB,3.jpg,"b,c"\nC,4.jpg,\n';
  const { tables, problems } = await read(IMAGES, csv);
  expect(problems).toEqual([
    'export.csv:2: labels (product_images.FileName): has 1 element(s), but the list for ImageID has 2',
    'export.csv:3: files (product_images.ImageID): has 1 element(s), but the list for FileName has 2',
  ]);
  expect(tables.product_images).toEqual([{ SKU: 'C', ImageID: '4.jpg', IsPrimaryImage: true }]);
});

test('an invalid element is an error, and the other elements are read', async () => {
  const map = "product_accessories: { columns: { SKU: s, AccessorySKU: { from: a, split: ',', values: { x: X } } } }";
  const { tables, problems } = await read(map, 's,a\nA,"x,y"\n');
  expect(problems).toEqual([
    'export.csv:2: a (product_accessories.AccessorySKU): "y" is not listed under values in the map; add it there',
  ]);
  expect(tables.product_accessories).toEqual([{ SKU: 'A', AccessorySKU: 'X' }, { SKU: 'A' }]);
});

test('a list that cannot be split is an error, even beside an empty one', async () => {
  const map =
    "product_images: { columns: { SKU: s, ImageID: { from: a, split: ',', quotes: true }, FileName: { from: b, split: ',' } } }";
  const { problems } = await read(map, 's,a,b\nA,"""x",\n');
  expect(problems).toEqual(['export.csv:2: a (product_images.ImageID): has a quote that is never closed']);
});

test('lists of several columns are combined without repeated elements, also from another row', async () => {
  const map = `
product_accessories:
  columns:
    SKU: s
    AccessorySKU:
      - { from: [a, b], split: ',' }
      - { from: [a, b], split: ',', row: { s: parent } }`;
  const { tables } = await read(map, 's,parent,a,b\nA,,"x,y","y,,z"\nB,A,,\nC,A,w,\nD,,,\n');
  expect(tables.product_accessories!.map((row) => `${row.SKU}${row.AccessorySKU}`).join()).toBe('Ax,Ay,Az,Bx,By,Bz,Cw');
});

test('`only` and `skip` choose rows, and notes count the skipped ones', async () => {
  const map = `
products:
  only: { view: '', type: [simple, virtual] }
  skip: { sku: [B, E], 'on': no }
  columns: { SKU: sku }
warehouses:
  columns: { WarehouseCode: view }
  only: { view: de }`;
  const csv = 'sku,view,type,on\nA,,simple,yes\nB,,simple,yes\nC,de,simple,yes\nD, ,virtual,\nE,,x,no\nF,,simple,no\n';
  const { tables, notes } = await read(map, csv);
  expect(tables.products!.map(({ SKU }) => SKU)).toEqual(['A', 'D']);
  expect(notes).toEqual([
    'export.csv: the map skips 5 row(s) for warehouses',
    'export.csv: the map skips 4 row(s) for products',
  ]);
});

test('a table of constants gets one row for the whole file', async () => {
  const map = `
price_lists: { columns: { PriceListCode: { constant: L }, CurrencyCode: { constant: EUR } } }
products: { columns: { SKU: sku } }`;
  expect((await read(map, 'sku\nA\nB\n')).tables).toEqual({
    price_lists: [{ PriceListCode: 'L', CurrencyCode: 'EUR' }],
    products: [{ SKU: 'A' }, { SKU: 'B' }],
  });
});

test('`distinct` counts rows that are equal in all columns once', async () => {
  const map = 'price_lists: { distinct: true, columns: { PriceListCode: l, CurrencyCode: c } }';
  const { tables } = await read(map, 'l,c,sku\nA,EUR,1\nB,USD,1\nA,EUR,2\nA,USD,3\n');
  expect(tables.price_lists!.map((row) => Object.values(row).join())).toEqual(['A,EUR', 'B,USD', 'A,USD']);
});

const PRODUCTS =
  'headers: { sku: [Artikel, Item] }\nproducts: { skip: { sku: x }, columns: { SKU: sku, Name: title } }';

test('headers may have further spellings, and problems use the one in the file', async () => {
  const { tables, problems, notes } = await read(PRODUCTS, ' Item ,title,Farbe,,Größe\nA,a,,,\n,b,,,\n');
  expect(tables.products![0]).toEqual({ SKU: 'A', Name: 'a' });
  expect(problems).toEqual(['export.csv:3: Item (products.SKU): is empty, but a value is required']);
  expect(notes).toEqual(['export.csv: headers that the map does not use: Farbe, Größe']);
});

test.each([
  ['title;x\n', ['sku: missing column, which the map uses for products.SKU, products.skip']],
  [
    'Sku,titl\n',
    [
      'sku: missing column, which the map uses for products.SKU, products.skip; did you mean Sku?',
      'title: missing column, which the map uses for products.Name; did you mean titl?',
    ],
  ],
  ['sku,title,title\n', ['title: repeated column, which the map uses for products.Name; remove one']],
  ['sku,title,Item\n', ['Item: the map treats it as the same column as sku; remove one']],
])('a header that does not fit the map is a fault: %j', async (header, faults) => {
  const { tables, problems } = await read(PRODUCTS, `${header}A,a,b\n`);
  expect(problems).toEqual(faults.map((fault) => `export.csv:1: ${fault}`));
  expect(tables.products).toEqual([]);
});

test('notes name only the first 20 headers that the map does not use', async () => {
  const others = Array.from({ length: 22 }, (_, index) => `${index}`);
  expect((await read(PRODUCTS, `sku,title,${others.join()}\n`)).notes).toEqual([
    `export.csv: headers that the map does not use: ${others.slice(0, 20).join(', ')}, … and 2 more`,
  ]);
});

test('a repeated column that the map does not use is allowed', async () => {
  expect((await read(PRODUCTS, 'sku,title,x,x\nA,a,,\n')).problems).toEqual([]);
});

test('headers that find a row are required as well', async () => {
  const map = 'products: { columns: { SKU: sku, Name: { from: sku, row: { group: { from: parent, prepend: p } } } } }';
  expect((await read(map, 'sku\nA\n')).problems).toEqual([
    'export.csv:1: group: missing column, which the map uses for products.Name',
    'export.csv:1: parent: missing column, which the map uses for products.Name',
  ]);
});

test('a header with too many cells is one fault', async () => {
  expect((await read(PRODUCTS, `x${','.repeat(2000)}\n`)).problems).toEqual([
    'export.csv:1: the header has 2001 cells, 2000 is the maximum; check that this line is the header',
  ]);
});

test('an empty file is a fault', async () => {
  expect((await read(PRODUCTS, '')).problems).toEqual([
    'export.csv:1: the file is empty; its first line must name the columns',
  ]);
});

test('a line of another width is reported once for all tables and skipped', async () => {
  const map = 'products: { columns: { SKU: a } }\nproduct_images: { columns: { SKU: a, ImageID: b } }';
  const { tables, problems } = await read(map, 'a,b\n1,2\n3\n4,5,6\n7,8\n');
  expect(problems).toEqual([
    'export.csv:3: 1 cell, but the header has 2; check the separators and quotes',
    'export.csv:4: 3 cells, but the header has 2; check the separators and quotes',
  ]);
  expect(tables.products).toEqual([{ SKU: '1' }, { SKU: '7' }]);
  expect(tables.product_images).toHaveLength(2);
});

test('the line of a record with line breaks is its first line', async () => {
  const { problems } = await read(PRODUCTS, 'sku,title\n"A","a\nb\nc"\n,d\n');
  expect(problems).toEqual(['export.csv:5: sku (products.SKU): is empty, but a value is required']);
});

test('labels name the headers of the value, not those that find a row', async () => {
  const rules = [
    '[land, { from: herkunft, row: { sku: parent } }]',
    '{ constant: x }',
    '{ join: x, of: [land, land] }',
  ];
  const map = `products: { columns: { SKU: sku, CountryOfOrigin: ${rules[0]}, Gender: ${rules[1]}, Theme: ${rules[2]} } }`;
  const { sources } = mappedSources(await InputFile.at('package.json'), parseMapping(map, 'map.yaml'), {});
  const [source] = sources;
  expect(source!.columns.map((column) => source!.label(column))).toEqual([
    'sku (products.SKU)',
    'constant (products.Gender)',
    'land (products.Theme)',
    'land, herkunft (products.CountryOfOrigin)',
  ]);
});

describe('limits of the texts and lists that a map makes (issue 14 §8)', () => {
  const TOO_LONG = 'becomes longer than 65535 characters through the map; check replace, join and prepend';
  const grown = 'x'.repeat(1000);

  test.each([
    ['replace', `{ from: a, replace: { x: ${'y'.repeat(70)} } }`, grown, 'a (products.Description)'],
    ['replace of a list', `{ from: a, split: ',', item: 1, replace: { x: ${'y'.repeat(70)} } }`, grown, 'a (products.'],
    ['join of parts', `{ join: ' ', of: [${Array(70).fill('a').join()}] }`, grown, 'a (products.Description)'],
    ['join by a long text', `{ join: ${'y'.repeat(70_000)}, of: [a, a] }`, 'x', 'a (products.Description)'],
    ['prepend', `{ from: a, prepend: ${'y'.repeat(65_000)} }`, grown, 'a (products.Description)'],
    [
      'nested joins',
      `{ join: '', of: [${Array(300)
        .fill(`{ join: '', of: [${Array(300).fill('a').join()}] }`)
        .join()}] }`,
      grown,
      'a (products.Description)',
    ],
  ])('refuse a text of more than 65,535 characters with its line and column: %s', async (_name, rule, cell, column) => {
    const [problem] = await names(rule, [['S', cell, '']], 'Description');
    expect(problem).toContain(`2: ${column}`);
    expect(problem).toContain(TOO_LONG);
  });

  test('apply before memory runs out: each of 1,900,000 characters becomes 60,000', async () => {
    const rule = `{ from: a, replace: { x: ${'y'.repeat(60_000)} } }`;
    expect(await name(rule, 'x'.repeat(1_900_000), '', 'Description')).toContain(TOO_LONG);
  });

  test('allow a text up to the limit, and a longer text that the file already has', async () => {
    const rule = "{ from: a, replace: { x: yy }, values: { z: '' }, keep: true }";
    expect(await name(rule, 'x'.repeat(32_767), '', 'Description')).toBe('y'.repeat(65_534));
    const shortened = "{ from: a, replace: { x: '', y: zz } }";
    expect(await name(shortened, `${'x'.repeat(100_000)}y`, '', 'Description')).toBe('zz');
  });

  test('refuse a cell with more than 10,000 elements', async () => {
    const map = "product_accessories: { columns: { SKU: sku, AccessorySKU: { from: a, split: ',' } } }";
    const { problems } = await read(map, `sku,a\nS,"${'x,'.repeat(10_000)}"`);
    expect(problems).toEqual([
      expect.stringContaining('has 10001 elements, 10000 is the maximum; check split in the map'),
    ]);
  });
});

const withFile = (columns: string, file: string) => `file: ${file}\nproducts: { columns: ${columns} }`;

/** The value that a rule gives for a number, or the first problem. */
async function weight(cell: string, rule = 'a', file = "{ decimal: ',', thousands: '.' }") {
  const map = withFile(`{ SKU: sku, PackagedWeight_in_g: ${rule} }`, file);
  const { tables, problems } = await read(map, `sku;a\nS;${cell}\n`);
  return problems[0] ?? tables.products![0]!.PackagedWeight_in_g;
}

describe('settings of the whole file in a map', () => {
  test('name the line of the header (14)', async () => {
    const csv = 'Prices of "May;;\n;;\nsku;name\n1;a\n;b\n';
    const { tables, problems } = await read(withFile('{ SKU: sku, Name: name }', '{ header: 3 }'), csv);
    expect(tables.products![0]).toEqual({ SKU: '1', Name: 'a' });
    expect(problems).toEqual(['export.csv:5: sku (products.SKU): is empty, but a value is required']);
    const short = await read(withFile('{ SKU: sku }', '{ header: 9 }'), csv);
    expect(short.problems).toEqual([
      'export.csv:9: the file ends before this line, which is the header according to the map',
    ]);
  });

  test('number or name the columns of a file without a header (13)', async () => {
    const csv = 'CSF;10884;Radiator\nCSF;10885;\n';
    const wanted = [{ SKU: '10884', Name: 'Radiator' }, { SKU: '10885' }];
    expect((await read(withFile('{ SKU: 2, Name: 3 }', '{ header: none }'), csv)).tables.products).toEqual(wanted);
    const byName = withFile('{ SKU: code, Name: name }', '{ header: [brand, code, name] }');
    expect((await read(byName, csv)).tables.products).toEqual(wanted);
    expect((await read(byName, 'CSF;10884\n')).problems).toEqual([
      'export.csv:1: 2 cells, but the map names 3 columns in file.header',
    ]);
    expect((await read(withFile('{ SKU: 4 }', '{ header: none }'), csv)).problems).toEqual([
      'export.csv:1: 4: missing column, which the map uses for products.SKU',
    ]);
  });

  test('give delimiter and encoding, and the command overrides them', async () => {
    const map = withFile('{ SKU: sku, Name: Größe }', "{ delimiter: '^', encoding: utf-8 }");
    expect((await read(map, 'sku^Größe\n1^x;y\n')).tables.products).toEqual([{ SKU: '1', Name: 'x;y' }]);
    expect((await read(map, 'sku;Größe\n1;x^y\n', { delimiter: ';' })).tables.products).toEqual([
      { SKU: '1', Name: 'x^y' },
    ]);
    const { problems } = await read(withFile('{ SKU: sku }', '{ encoding: windows-1252 }'), '\uFEFFsku\n');
    expect(problems).toEqual([expect.stringContaining('so it is not windows-1252')]);
  });

  test('give the format of numbers, and a column overrides it', async () => {
    expect(await weight('1.234.567,5')).toBe('1234567.5');
    expect(await weight('-1.234')).toBe('-1234');
    expect(await weight(',5')).toBe('0.5');
    expect(await weight('12,5', '{ from: a, times: 10 }')).toBe('125');
    expect(await weight('1,234.5', "{ from: a, decimal: '.', thousands: ',' }")).toBe('1234.5');
    expect(await weight("1'234.5", `{ from: a, thousands: "'" }`, '{}')).toBe('1234.5');
    expect(await weight('1\u202F234,5', "{ from: a, thousands: ' ' }", "{ decimal: ',' }")).toBe('1234.5');
    expect(await weight('.5', 'a', '{}')).toBe('0.5');
    expect(await weight('-.5', '{ from: a, times: 10 }', '{}')).toBe('-5');
    for (const cell of ['1.5', '12.34', '1.2345', '1234.567', '1.234.56,7'])
      expect(await weight(cell)).toContain(`"${cell}" is not a number with "." between thousands, such as 1.234`);
    expect(await weight('1,234', 'a', '{}')).toContain('"1,234" is not a decimal');
  });
});

test('several blocks make rows of one table, and problems name the header of their block (15)', async () => {
  const map = `
warehouses:
  - columns: { WarehouseCode: { constant: Main } }
  - columns: { WarehouseCode: { constant: JFK } }
stock:
  - columns: { WarehouseCode: { constant: Main }, SKU: sku, AvailableQTY: main }
  - skip: { jfk: '' }
    columns: { WarehouseCode: { constant: JFK }, SKU: sku, AvailableQTY: jfk }`;
  const { tables, problems, notes } = await read(map, 'sku,main,jfk\nA,0,24\nB,7,\nC,1,many\n');
  expect(tables.warehouses).toEqual([{ WarehouseCode: 'Main' }, { WarehouseCode: 'JFK' }]);
  expect(tables.stock!.map((row) => Object.values(row).join(' '))).toEqual([
    'Main A 0',
    'JFK A 24',
    'Main B 7',
    'Main C 1',
    'JFK C',
  ]);
  expect(problems).toEqual([
    expect.stringMatching(/^export\.csv:4: jfk \(stock\.AvailableQTY\): "many" is not a decimal/),
  ]);
  expect(notes).toEqual([]);
});

const naming = (rule: string) => `products: { columns: { SKU: sku, Name: ${rule} } }`;
const named = async (rule: string, csv: string) => (await read(naming(rule), csv)).tables.products;

describe('optional columns', () => {
  test('are left out of the table if the file lacks them, so that stored values stay', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'optional-'));
    await writeFile(join(folder, 'a.csv'), 'sku\nA\n');
    const mapping = parseMapping(naming('{ from: n, optional: true }'), 'map.yaml');
    const [source] = mappedSources(await InputFile.at(join(folder, 'a.csv')), mapping, {}).sources;
    expect(await source!.begin!(() => undefined)).toBe(true);
    expect(source!.columns.map((column) => column.name)).toEqual(['SKU']);
    await rm(folder, { recursive: true });
  });

  test('are read if the file has them, and leave the other parts of a list or join if not', async () => {
    const wanted = [{ SKU: 'A', Name: 'x' }];
    expect(await named('{ from: n, optional: true }', 'sku,n\nA,x\n')).toEqual(wanted);
    expect(await named('[{ from: n, optional: true }, t]', 'sku,t\nA,x\n')).toEqual(wanted);
    expect(await named("{ join: ' ', of: [t, { from: n, optional: true }] }", 'sku,t\nA,x\n')).toEqual(wanted);
  });

  test('that are also required need one of their headers and a value', async () => {
    const rule = '[{ from: n, optional: true, required: true }, { from: t, optional: true, required: true }]';
    expect(await named(rule, 'sku,t\nA,x\n')).toEqual([{ SKU: 'A', Name: 'x' }]);
    expect((await read(naming(rule), 'sku,n,t\nA,,x\n')).problems).toEqual([
      'export.csv:2: n, t (products.Name): is empty, but the map requires a value',
    ]);
    expect((await read(naming(rule), 'sku\nA\n')).problems).toEqual([
      'export.csv:1: n, t: missing column: the file has none of these headers, but Name needs one',
    ]);
  });

  test('cannot be key columns, nor be missing in only some blocks', async () => {
    const key = 'products: { columns: { SKU: { from: sku, optional: true }, Name: n } }';
    expect((await read(key, 'n\nA\n')).problems).toEqual([
      'export.csv:1: sku: missing column: the file has none of these headers, but SKU needs one',
    ]);
    const [a, b] = ['a', 'b'].map((from) => `columns: { SKU: sku, Name: { from: ${from}, optional: true } }`);
    expect((await read(`products:\n  - ${a}\n  - ${b}\n`, 'sku,b\nA,x\n')).problems).toEqual([
      'export.csv:1: a: missing column: the file has none of these headers, but Name needs one',
    ]);
  });
});

test('headers, values and conditions that differ only in Unicode normalization are equal (10)', async () => {
  const rule = '{ from: Größe, values: { groß: L, weiß: W, breit: B } }';
  const map = `products: { skip: { Größe: schön }, columns: { SKU: sku, Name: ${rule.replace('breit', 'größer')} } }`;
  const [header, taller, nice] = ['Größe', 'größer', 'schön'].map((text) => text.normalize('NFD'));
  const csv = `sku,${header}\nA,groß\nB,${taller}\nC,${nice}\n`;
  const { tables, problems } = await read(map, csv);
  expect(problems).toEqual([]);
  expect(tables.products!.map(({ Name }) => Name)).toEqual(['L', 'B']);
});

test('`only` and `skip` of the map apply to all tables', async () => {
  const map = `
skip: { sku: '' }
only: { view: '' }
products: { columns: { SKU: sku } }
product_images: { skip: { image: x }, columns: { SKU: sku, ImageID: image } }
warehouses: { columns: { WarehouseCode: { constant: W } } }`;
  const { tables } = await read(map, 'sku,view,image\nA,,1\n,,2\nB,de,3\nC,,x\n');
  expect(tables.products).toEqual([{ SKU: 'A' }, { SKU: 'C' }]);
  expect(tables.product_images).toEqual([{ SKU: 'A', ImageID: '1' }]);
  expect(tables.warehouses).toEqual([{ WarehouseCode: 'W' }]);
});

test('pictures of a product without a SKU are skipped with it (18)', async () => {
  const images = 'product_images: { columns: { SKU: { from: sku, row: { handle: handle } }, ImageID: image } }';
  const csv = 'handle,sku,image\nmug,,1\nmug,,2\ncup,C,3\ncup,,4\n';
  const { tables, problems } = await read(`products: { skip: { sku: '' }, columns: { SKU: sku } }\n${images}`, csv);
  expect(problems).toEqual([]);
  expect(tables.product_images).toEqual([
    { SKU: 'C', ImageID: '3' },
    { SKU: 'C', ImageID: '4' },
  ]);
  expect((await read(`products: { columns: { SKU: sku } }\n${images}`, csv)).problems).toHaveLength(5);
});

const PARTS = "{ join: '-', of: [3, 2, 1] }".replace(/\d/g, "{ from: a, split: '.', item: $& }");

test.each([
  ['{ from: a, date: DD.MM.YYYY }', '01.12.2026', '2026-12-01'],
  ['{ from: a, date: DD.MM.YYYY }', '1.2.2026', '2026-02-01'],
  ["{ from: a, date: ['MM/DD/YYYY', YYYYMMDD] }", '12/31/2026', '2026-12-31'],
  ["{ from: a, date: ['MM/DD/YYYY', YYYYMMDD] }", '20261231', '2026-12-31'],
  ["{ from: a, date: 'YYYY-MM-DD HH:mm:ss' }", '2026-12-31 23:59:59', '2026-12-31'],
  ['{ from: a, date: DD.MM.YYYY }', '', undefined],
  ["{ from: a, date: ['MM/DD/YYYY', 'DD/MM/YYYY'] }", '31/12/2026', '2026-12-31'],
  ["{ from: a, date: ['MM/DD/YYYY', 'DD/MM/YYYY'] }", '05/05/2026', '2026-05-05'],
  [
    "{ from: a, date: ['MM/DD/YYYY', 'DD/MM/YYYY'] }",
    '03/04/2026',
    expect.stringContaining('"03/04/2026" may be 2026-03-04 or 2026-04-03; write one date format in the map'),
  ],
  [PARTS, '01.12.2026', '2026-12-01'],
  ['{ from: a, date: DD.MM.YYYY }', '2026-12-01', expect.stringContaining('is not a date in the form DD.MM.YYYY')],
  ['{ from: a, date: DD.MM.YYYY }', '30.02.2026', expect.stringContaining('"2026-02-30" is not a valid date')],
])('the date rule %s gives the expected day for %j (20)', async (rule, a, value) => {
  const map = `stock: { columns: { WarehouseCode: { constant: W }, SKU: sku, AvailableQTY: sku, NextAvailableETA: ${rule} } }`;
  const { tables, problems } = await read(map, `sku,a\n1,"${a}"\n`);
  expect(problems[0] ?? tables.stock![0]!.NextAvailableETA).toEqual(value);
});

test.each([
  ['2', 'kg', '2000'],
  ['2', ' lb', '907.1847'],
  ['.5', 'kg', '500'],
  ['', 'stone', ''],
  ['2', 'stone', expect.stringContaining('"stone" is not listed under values in the map')],
  ['2', '', expect.stringContaining('has no factor: the cell for times is empty')],
])('a factor for the unit of each row applies to %j %j (16)', async (a, b, value) => {
  const rule = '{ from: a, times: { from: b, values: { kg: 1000, lb: 453.59237 } } }';
  expect(await name(rule, a, b, 'PackagedWeight_in_g')).toEqual(value);
});

test.each([
  ['12.90', '12.9'],
  ['12,90', '12.9'],
  ['-0,125', '-0.125'],
  [',5', '0.5'],
  ['1299', '1299'],
  ['1234,567', '1234.567'],
  ['16,528926', '16.5289'],
  [
    '1,299',
    expect.stringContaining(
      `"1,299" may have decimals or thousands; write decimal: ',' in the map, or decimal: '.', thousands: ','`,
    ),
  ],
  [
    '-1.299',
    expect.stringContaining(
      `"-1.299" may have decimals or thousands; write decimal: '.' in the map, or decimal: ',', thousands: '.'`,
    ),
  ],
  [
    '1,299.00',
    expect.stringContaining(
      `"1,299.00" has separators between thousands; write decimal: '.', thousands: ',' in the map`,
    ),
  ],
  [
    '1.299,00',
    expect.stringContaining(
      `"1.299,00" has separators between thousands; write decimal: ',', thousands: '.' in the map`,
    ),
  ],
  [
    '1.299.000',
    expect.stringContaining(
      `"1.299.000" has separators between thousands; write decimal: ',', thousands: '.' in the map`,
    ),
  ],
])('`decimal: either` gives the expected number or fault for %s', async (a, value) => {
  expect(await name('{ from: a, decimal: either, times: 1 }', a, '', 'PackagedWeight_in_g')).toEqual(value);
});

test('`decimal: either` also reads declared thousands', async () => {
  const rule = "{ from: a, decimal: either, thousands: '.' }";
  expect(await name(rule, '1.299', '', 'PackagedWeight_in_g')).toBe('1299');
  expect(await name(rule, '1.299,50', '', 'PackagedWeight_in_g')).toBe('1299.5');
});

test('a factor must be a number above 0', async () => {
  expect(await name('{ from: a, times: { from: b } }', '2', '0', 'PackagedWeight_in_g')).toContain(
    'has the factor "0", which',
  );
  expect(await name('{ from: a, times: { from: b } }', '2', '1.5', 'PackagedWeight_in_g')).toBe('3');
});

test.each([
  ['{ from: a, decode: html }', 'Zing&trade; Rope &amp; Bag &#39;x&#x27;', "Zing™ Rope & Bag 'x'"],
  ['{ from: a, decode: html }', 'a &amp;lt; b, R&D, &nosuch; &copy', 'a &lt; b, R&D, &nosuch; &copy'],
  ['{ from: a, decode: html, values: { R&D: x } }', 'R&amp;D', 'x'],
  ["{ from: a, split: ',', deepest: / }", 'Men,Men/Tops,Women', 'Men/Tops'],
  ["{ from: a, split: ',', deepest: /, root: false }", 'Root/Men/Tops,Root/Men,Root', 'Men/Tops'],
  ["{ from: a, split: ',', deepest: /, root: false }", 'Root', ''],
  ["{ from: a, split: ',', deepest: /, root: false }", '', ''],
  ["{ from: a, split: ',', deepest: /, root: false, escape: '\\' }", 'Root/Men\\/Boys,Root/A', 'Men/Boys'],
  ["{ from: a, split: ',', key: color }", 'color="Blue",size="L"', 'Blue'],
  ["{ from: a, split: ',', key: size }", 'color="Blue, dark",size="7"" x"', '7" x'],
  ["{ from: a, split: ',', key: color }", 'x="1",color="Blue, ""dark""",y=2', 'Blue, "dark"'],
  ["{ from: a, split: ',', key: size }", 'size=7",color=Blue', '7"'],
  ["{ from: a, split: ',', key: size }", 'size="7,color=Blue', '"7'],
])('the rule %s reads the expected text from %j', async (rule, a, value) => {
  expect(await name(rule, a)).toBe(value);
});

test('`shorten` gives equal results for equal texts and different results for different texts', async () => {
  const rule = "{ join: '-', of: [a, b], shorten: 64 }";
  const [long, other] = ['x'.repeat(70), `${'x'.repeat(69)}y`];
  const cells = [long, other, long, 'a', 'é'.repeat(62)].map((a) => ['S', a, 'b']);
  const made = await names(rule, cells);
  expect(made.map((text) => String(text).length)).toEqual([64, 64, 64, 3, 64]);
  expect(made[0]).toBe(made[2]);
  expect(made[0]).not.toBe(made[1]);
  expect(made[0]).toMatch(/^x{53}-[0-9a-f]{10}$/);
  expect(made[4]).toBe(`${'é'.repeat(62)}-b`);
});
