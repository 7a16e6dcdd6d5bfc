import { readMappedText } from '../../../../test/support/mapped-file.js';
import { InputFile } from '../input-file.js';
import { mappedSources } from './mapped-source.js';
import { parseMapping } from '../map/mapping.js';
import type { ReadingOptions } from '../table-source.js';

const read = (map: string, csv: string, options?: Partial<ReadingOptions>) =>
  readMappedText(csv, parseMapping(map, 'map.yaml'), options);

/** What a rule for products.Name makes of the rows of a file with the columns `sku`, `a` and `b`. */
async function names(rule: string, rows: string[][], column = 'Name', options?: Partial<ReadingOptions>) {
  const lines = [['sku', 'a', 'b'], ...rows].map((cells) =>
    cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(),
  );
  const map = `products:\n  columns:\n    SKU: sku\n    ${column}: ${rule}\n`;
  const { tables, complaints } = await read(map, lines.join('\n'), options);
  return complaints.length ? complaints : tables.products!.map((row) => row[column] ?? '');
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
])('%s: %j %j', async (rule, a, b, value) => {
  expect(await name(rule, a, b)).toBe(value);
});

test.each([
  ['{ from: a, times: 1000 }', '0.085', '85'],
  ['{ from: a, times: 453.59237 }', '0.3', '136.0777'],
  ['{ from: a, times: 10, values: { one: 1.5 }, keep: true }', 'one', '15'],
  ['{ from: a, times: 10 }', '', ''],
  ['{ from: a, times: 2 }', 'x', expect.stringContaining('a (products.PackagedWeight_in_g): "x" is not a number')],
  ['a', '1,5', expect.stringContaining('a (products.PackagedWeight_in_g): "1,5" is not a decimal')],
])('a number, %s: %j', async (rule, a, value) => {
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
])('with a decimal comma, %s: %s from %j', async (column, rule, a, value) => {
  expect(await name(rule, a, '', column, { decimalComma: true })).toEqual(value);
});

test('a value that the map does not list is an error of its cell', async () => {
  expect(
    await names('{ from: a, values: { x: y } }', [
      ['S', 'x', ''],
      ['T', 'z', ''],
    ]),
  ).toEqual(['export.csv:3: a (products.Name): "z" is none of the values that the map lists; add it there']);
});

test('a quote that never closes is an error of its cell', async () => {
  expect(await name("{ from: a, split: ',', quotes: true, item: 1 }", '"x,y')).toBe(
    'export.csv:2: a (products.Name): has a quote that never closes',
  );
});

const GROUPS = [
  ['1', 'g', 'first'],
  ['2', 'h', ''],
  ['3', 'g', 'third'],
  ['4', ' h ', 'fourth'],
  ['5', '', 'none'],
];

test('row: takes a cell from the first row that has the same text, even if it is empty', async () => {
  expect(await names('{ from: b, row: { a: a } }', GROUPS)).toEqual(['first', '', 'first', '', '']);
});

test('row: rows below are not known, and those that are passed over are', async () => {
  const csv = 'sku,type,parent,name\nA,x,P,\nP,parent,,Parent\nB,x,P,\nC,x,Q,own\n';
  const of = async (rule: string) => {
    const map = `products: { skip: { type: parent }, columns: { SKU: sku, Name: ${rule} } }`;
    return (await read(map, csv)).tables.products!.map((row) => row.Name);
  };
  expect(await of('{ from: name, row: { sku: parent } }')).toEqual([undefined, 'Parent', undefined]);
  expect(await of('[name, { from: name, row: { sku: parent } }]')).toEqual([undefined, 'Parent', 'own']);
  expect(await of('{ from: name, row: { sku: { from: parent, replace: { Q: P } } } }')).toEqual([
    undefined,
    'Parent',
    'Parent',
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

test('lists make a row of each element, side by side', async () => {
  const csv = 'sku,files,labels\nA,"1.jpg, 2.jpg","one,two"\nB,,\nC,"3.jpg,4.jpg",\nD,"5.jpg,","five,"\n';
  const { tables, complaints } = await read(IMAGES, csv);
  expect(complaints).toEqual([]);
  expect(tables.product_images!.map((row) => Object.values(row).join())).toEqual([
    'A,1.jpg,one,true',
    'A,2.jpg,two,false',
    'C,3.jpg,true',
    'C,4.jpg,false',
    'D,5.jpg,five,true',
  ]);
});

test('lists of different length are an error, and the rest is read on', async () => {
  const csv = 'sku,files,labels\nA,"1.jpg,2.jpg","one"\nB,3.jpg,"b,c"\nC,4.jpg,\n';
  const { tables, complaints } = await read(IMAGES, csv);
  expect(complaints).toEqual([
    'export.csv:2: labels (product_images.FileName): has 1 element(s), and the list for ImageID has 2',
    'export.csv:3: files (product_images.ImageID): has 1 element(s), and the list for FileName has 2',
  ]);
  expect(tables.product_images).toEqual([{ SKU: 'C', ImageID: '4.jpg', IsPrimaryImage: true }]);
});

test('an element that is no value is an error, the others are not', async () => {
  const map = "product_accessories: { columns: { SKU: s, AccessorySKU: { from: a, split: ',', values: { x: X } } } }";
  const { tables, complaints } = await read(map, 's,a\nA,"x,y"\n');
  expect(complaints).toEqual([
    'export.csv:2: a (product_accessories.AccessorySKU): "y" is none of the values that the map lists; add it there',
  ]);
  expect(tables.product_accessories).toEqual([{ SKU: 'A', AccessorySKU: 'X' }, { SKU: 'A' }]);
});

test('a list that cannot be split is an error, even beside an empty one', async () => {
  const map =
    "product_images: { columns: { SKU: s, ImageID: { from: a, split: ',', quotes: true }, FileName: { from: b, split: ',' } } }";
  const { complaints } = await read(map, 's,a,b\nA,"""x",\n');
  expect(complaints).toEqual(['export.csv:2: a (product_images.ImageID): has a quote that never closes']);
});

test('lists of several columns are put together, each element once; a list may come from another row', async () => {
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

test('only and skip choose rows, and how many were passed over is told', async () => {
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
    'export.csv: 5 row(s) passed over, as the map says, for warehouses',
    'export.csv: 4 row(s) passed over, as the map says, for products',
  ]);
});

test('constants alone make one row for the whole file', async () => {
  const map = `
price_lists: { columns: { PriceListCode: { constant: L }, CurrencyCode: { constant: EUR } } }
products: { columns: { SKU: sku } }`;
  expect((await read(map, 'sku\nA\nB\n')).tables).toEqual({
    price_lists: [{ PriceListCode: 'L', CurrencyCode: 'EUR' }],
    products: [{ SKU: 'A' }, { SKU: 'B' }],
  });
});

test('distinct: rows that are the same in all columns count once', async () => {
  const map = 'price_lists: { distinct: true, columns: { PriceListCode: l, CurrencyCode: c } }';
  const { tables } = await read(map, 'l,c,sku\nA,EUR,1\nB,USD,1\nA,EUR,2\nA,USD,3\n');
  expect(tables.price_lists!.map((row) => Object.values(row).join())).toEqual(['A,EUR', 'B,USD', 'A,USD']);
});

const PRODUCTS =
  'headers: { sku: [Artikel, Item] }\nproducts: { skip: { sku: x }, columns: { SKU: sku, Name: title } }';

test('headers may come under further names, and complaints name the one of the file', async () => {
  const { tables, complaints, notes } = await read(PRODUCTS, ' Item ,title,Farbe,,Größe\nA,a,,,\n,b,,,\n');
  expect(tables.products![0]).toEqual({ SKU: 'A', Name: 'a' });
  expect(complaints).toEqual(['export.csv:3: Item (products.SKU): is empty, and has to hold a value']);
  expect(notes).toEqual(['export.csv: headers that the map does not use: Farbe, Größe']);
});

test.each([
  ['title;x\n', ['sku: missing column, which the map gives to products.SKU, products.skip']],
  [
    'Sku,titl\n',
    [
      'sku: missing column, which the map gives to products.SKU, products.skip; did you mean Sku?',
      'title: missing column, which the map gives to products.Name; did you mean titl?',
    ],
  ],
  ['sku,title,title\n', ['title: repeated column, which the map gives to products.Name; remove one']],
  ['sku,title,Item\n', ['Item: the map takes it for the same as sku; remove one']],
])('a header that does not fit: %j', async (header, faults) => {
  const { tables, complaints } = await read(PRODUCTS, `${header}A,a,b\n`);
  expect(complaints).toEqual(faults.map((fault) => `export.csv:1: ${fault}`));
  expect(tables.products).toEqual([]);
});

test('of many headers that the map does not use the first 20 are named', async () => {
  const others = Array.from({ length: 22 }, (_, index) => `${index}`);
  expect((await read(PRODUCTS, `sku,title,${others.join()}\n`)).notes).toEqual([
    `export.csv: headers that the map does not use: ${others.slice(0, 20).join(', ')}, … and 2 more`,
  ]);
});

test('a repeated column that the map does not use does no harm', async () => {
  expect((await read(PRODUCTS, 'sku,title,x,x\nA,a,,\n')).complaints).toEqual([]);
});

test('headers that find a row are looked for, too', async () => {
  const map = 'products: { columns: { SKU: sku, Name: { from: sku, row: { group: { from: parent, prepend: p } } } } }';
  expect((await read(map, 'sku\nA\n')).complaints).toEqual([
    'export.csv:1: group: missing column, which the map gives to products.Name',
    'export.csv:1: parent: missing column, which the map gives to products.Name',
  ]);
});

test('a header of too many cells is one fault', async () => {
  expect((await read(PRODUCTS, `x${','.repeat(2000)}\n`)).complaints).toEqual([
    'export.csv:1: the header has 2001 cells, 2000 is the most; is it the header?',
  ]);
});

test('an empty file is a fault', async () => {
  expect((await read(PRODUCTS, '')).complaints).toEqual([
    'export.csv:1: the file is empty; its first line has to name the columns',
  ]);
});

test('a line of another width is told once, whatever the number of tables, and left out', async () => {
  const map = 'products: { columns: { SKU: a } }\nproduct_images: { columns: { SKU: a, ImageID: b } }';
  const { tables, complaints } = await read(map, 'a,b\n1,2\n3\n4,5,6\n7,8\n');
  expect(complaints).toEqual([
    'export.csv:3: 1 cell where the header has 2; is a separator or a quote amiss?',
    'export.csv:4: 3 cells where the header has 2; is a separator or a quote amiss?',
  ]);
  expect(tables.products).toEqual([{ SKU: '1' }, { SKU: '7' }]);
  expect(tables.product_images).toHaveLength(2);
});

test('the line of a record with line breaks is the one that it starts on', async () => {
  const { complaints } = await read(PRODUCTS, 'sku,title\n"A","a\nb\nc"\n,d\n');
  expect(complaints).toEqual(['export.csv:5: sku (products.SKU): is empty, and has to hold a value']);
});

test('labels name the headers that give the value, not those that find a row', async () => {
  const rules = [
    '[land, { from: herkunft, row: { sku: parent } }]',
    '{ constant: x }',
    '{ join: x, of: [land, land] }',
  ];
  const map = `products: { columns: { SKU: sku, CountryOfOrigin: ${rules[0]}, Gender: ${rules[1]}, Theme: ${rules[2]} } }`;
  const options = { encoding: 'utf-8', decimalComma: false } as const;
  const { sources } = mappedSources(await InputFile.at('package.json'), parseMapping(map, 'map.yaml'), options);
  const [source] = sources;
  expect(source!.columns.map((column) => source!.label(column))).toEqual([
    'sku (products.SKU)',
    'constant (products.Gender)',
    'land (products.Theme)',
    'land, herkunft (products.CountryOfOrigin)',
  ]);
});

describe('a map that makes texts grow beyond what any column holds (issue 14 §8)', () => {
  const TOO_LONG = 'becomes longer than 65535 characters by the map; check replace, join and prepend';
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
  ])('names line, column and limit: %s', async (_name, rule, cell, column) => {
    const [complaint] = await names(rule, [['S', cell, '']], 'Description');
    expect(complaint).toContain(`2: ${column}`);
    expect(complaint).toContain(TOO_LONG);
  });

  test('ends before there is no memory for it: 2 MB of which each character becomes 60,000', async () => {
    const rule = `{ from: a, replace: { x: ${'y'.repeat(60_000)} } }`;
    expect(await name(rule, 'x'.repeat(1_900_000), '', 'Description')).toContain(TOO_LONG);
  });

  test('up to the limit is fine, as is a long text of the file that hardly changes', async () => {
    const rule = "{ from: a, replace: { x: yy }, values: { z: '' }, keep: true }";
    expect(await name(rule, 'x'.repeat(32_767), '', 'Description')).toBe('y'.repeat(65_534));
    const shortened = "{ from: a, replace: { x: '', y: zz } }";
    expect(await name(shortened, `${'x'.repeat(100_000)}y`, '', 'Description')).toBe('zz');
  });

  test('a cell with too many elements is named', async () => {
    const map = "product_accessories: { columns: { SKU: sku, AccessorySKU: { from: a, split: ',' } } }";
    const { complaints } = await read(map, `sku,a\nS,"${'x,'.repeat(10_000)}"`);
    expect(complaints).toEqual([
      expect.stringContaining('has 10001 elements, 10000 is the most; is split of the map right?'),
    ]);
  });
});
