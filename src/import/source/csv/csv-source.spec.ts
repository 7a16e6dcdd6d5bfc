import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IMPORT_TABLES } from '../../import-tables.js';
import { CsvSource } from './csv-source.js';
import { InputFile } from '../input-file.js';
import { type ReadingOptions, SourceFault } from '../table-source.js';

const folder = mkdtempSync(join(tmpdir(), 'csv-source-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Reads a file: rows as `line: cells`, with errors in place of their cells, and all reported problems. */
async function read(table: string, content: string, options: Partial<ReadingOptions> = {}) {
  const path = join(folder, `${table}.csv`);
  writeFileSync(path, content);
  const input = await InputFile.at(path);
  const source = new CsvSource(
    input,
    IMPORT_TABLES.find(({ name }) => name === table)!,
    {
      encoding: 'utf-8',
      decimalComma: false,
      ...options,
    },
  );
  const problems: string[] = [];
  const report = (line: number, column: string, message: string) =>
    void problems.push([source.file, line, ` ${column}`, ` ${message}`].join(':'));
  const rows: string[] = [];
  try {
    await source.begin(report);
    for await (const chunk of source.rows(report))
      rows.push(...chunk.map(({ line, cells }) => `${line}: ${cells.map(String).join('|')}`));
  } catch (fault) {
    if (!(fault instanceof SourceFault)) throw fault;
    report(fault.line, fault.column, fault.message);
  }
  const columns = source.columns.map(({ name }) => name);
  const label = (name: string) => source.label(source.columns.find((column) => column.name === name)!);
  return { rows, problems, columns, label };
}

const HEADER = 'PriceListCode,SKU,Price,MOQ,OrderMultiple,DiscountEligible';

test('cells are in the order of the table, whatever the order in the file', async () => {
  const content = 'NextAvailableETA, SKU ,AvailableQTY,WarehouseCode\n2027-01-01, A 1 ,3,NL\n,B,,"x\ny"\n';
  expect(await read('stock', content)).toMatchObject({
    rows: ['2: NL| A 1 |3|2027-01-01', '3: x\ny|B||'],
    problems: [],
  });
});

test('matches headers in any case and with spaces around them, and spells them in problems as in the file', async () => {
  const { rows, problems, label } = await read('stock', ' sku,warehousecode ,AVAILABLEQTY\nA,NL,3\n');
  expect({ rows, problems }).toEqual({ rows: ['2: NL|A|3'], problems: [] });
  expect(label('SKU')).toBe('sku');
});

test('columns that are not required may be absent', async () => {
  const { rows, columns } = await read('prices', 'SKU,Price,PriceListCode,DiscountEligible\nA,1,L,yes\n');
  expect(columns).toEqual(['PriceListCode', 'SKU', 'Price', 'DiscountEligible']);
  expect(rows).toEqual(['2: L|A|1|yes']);
});

test('reports two headers of the same column, even if they are spelt differently', async () => {
  const { problems } = await read('warehouses', 'WarehouseCode,WarehouseName,warehousename, WarehouseName\n');
  expect(problems).toEqual([
    'warehouses.csv:1: warehousename: repeated column (also spelt WarehouseName); remove one',
    'warehouses.csv:1: WarehouseName: repeated column; remove one',
  ]);
});

test('a file with only a header has no rows', async () => {
  expect(await read('prices', `${HEADER}\n`)).toMatchObject({ rows: [], problems: [] });
});

test('every fault of the header is reported with its column, and no row is read', async () => {
  const content = 'SKU,Foto,order multiple,Prise,SKU,,MOQ\nx\n';
  expect(await read('prices', content)).toMatchObject({
    rows: [],
    problems: [
      'prices.csv:1: Foto: unknown column',
      'prices.csv:1: order multiple: unknown column; did you mean OrderMultiple?',
      'prices.csv:1: Prise: unknown column; did you mean Price?',
      'prices.csv:1: : cell 6 of the header is empty, but must name a column',
      'prices.csv:1: PriceListCode: missing column',
      'prices.csv:1: Price: missing column',
      'prices.csv:1: DiscountEligible: missing column',
      'prices.csv:1: SKU: repeated column; remove one',
    ],
  });
});

test('a column that the header already names is not suggested', async () => {
  const { problems } = await read('warehouses', 'WarehouseCode,WarehouseName,Warehouse\n');
  expect(problems).toEqual(['warehouses.csv:1: Warehouse: unknown column']);
});

test('a header of one cell is a single problem that points to --delimiter', async () => {
  const { problems } = await read('prices', `${HEADER.replaceAll(',', '^')}\n`);
  expect(problems).toEqual([
    'prices.csv:1: : the header is one cell, "PriceListCode^SKU^Price^MOQ^OrderMultipl…"; name the delimiter with --delimiter',
  ]);
  const given = await read('prices', `${HEADER}\n`, { delimiter: ';' });
  expect(given.problems).toEqual([expect.stringContaining('--delimiter')]);
});

test('an unknown column that contains a delimiter is a problem that points to --delimiter', async () => {
  const { problems } = await read('warehouses', 'WarehouseCode;WarehouseName,x\n');
  expect(problems[0]).toBe(
    'warehouses.csv:1: WarehouseCode;WarehouseName: unknown column; name the delimiter with --delimiter',
  );
});

test.each(['', '\uFEFF', '\n\r\n'])('an empty file is a fault: %j', async (content) => {
  expect((await read('stock', content)).problems).toEqual([
    'stock.csv:1: : the file is empty; its first line must name the columns',
  ]);
});

test('reports and skips rows of another width', async () => {
  const { rows, problems } = await read('warehouses', 'WarehouseCode,WarehouseName\nA\nB,b\nC,c,\n');
  expect(rows).toEqual(['3: B|b']);
  expect(problems).toEqual([
    'warehouses.csv:2: : 1 cell, but the header has 2; check the separators and quotes',
    'warehouses.csv:4: : 3 cells, but the header has 2; check the separators and quotes',
  ]);
});

test('rows before a fault are still yielded', async () => {
  const { rows, problems } = await read('warehouses', 'WarehouseCode,WarehouseName\nA,a\n"B,b\n');
  expect(rows).toEqual(['2: A|a']);
  expect(problems).toEqual([expect.stringMatching(/^warehouses.csv:3: : .*never closed$/)]);
});

test('a decimal comma is converted only in columns of numbers', async () => {
  const header = HEADER.replaceAll(',', ';');
  const { rows } = await read('prices', `${header}\nA,1;B,2;19,95;1;0,5;1,0\n`, { decimalComma: true });
  expect(rows).toEqual(['2: A,1|B,2|1|0.5|19.95|1,0']);
});

test('a decimal point is an error of its cell if numbers have a decimal comma', async () => {
  const header = HEADER.replaceAll(',', ';');
  const { rows } = await read('prices', `${header}\nA.1;B;1.234,50;;;1\n`, { decimalComma: true });
  expect(rows).toEqual([expect.stringMatching(/^2: A\.1\|B\|\|\|Error: "1\.234,50" has a point.*\|1$/)]);
});

test('a header with too many cells is a single problem', async () => {
  expect(await read('prices', `${HEADER}${','.repeat(100_000)}\n`)).toMatchObject({
    rows: [],
    problems: ['prices.csv:1: : the header has 100006 cells, 2000 is the maximum; check that this line is the header'],
  });
});
