import { cliProcess } from './support/commands.js';
import { COLUMNS, importFile, importFiles } from './support/import-files.js';
import { largeCatalogue } from './support/large-catalogue.js';
import { engine, TestDatabase } from './support/test-service.js';

const LONG = ['Description', 'WebsiteDescription', 'WashingInstructions', 'WhatsIncluded', 'ProductCompositionText'];
const LONG_BYTES = 65_535;
const PRODUCT_COLUMNS = COLUMNS['products.csv'].split(',');
/** What a statement has to escape, or to write in more bytes than it has characters; several in a row of the latter. */
const HOSTILE = ['😀', '😀', '€', '€', '€', "'", '"', '\\', '\n', `\\'"€😀`, 'x'];

type Row = Record<string, string>;
interface Summary {
  outcome: string;
  tables: { table: string; rows: number; added: number; changed: number; unchanged: number; removed: number }[];
}

let database: TestDatabase;
beforeEach(async () => void (database = await TestDatabase.create()));
afterEach(() => database.drop());

/** Imports and returns the summary, in a process of its own. */
async function imported(...args: string[]): Promise<Summary> {
  const { code, stdout, stderr } = await cliProcess(database, 'import', '--json', ...args);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Summary;
}

/** As much of the text, over and over, as so many bytes hold, filled up to the last of them. */
function filled(text: string, bytes: number): string {
  const times = Math.floor(bytes / Buffer.byteLength(text));
  return text.repeat(times) + 'x'.repeat(bytes - times * Buffer.byteLength(text));
}

/** A product for each text, which fills its columns up to their limits. */
function longProducts(texts: readonly string[]): Row[] {
  return texts.map((text, index) => {
    const long = Object.fromEntries(LONG.map((column) => [column, filled(text, LONG_BYTES)]));
    return { SKU: `P-${100 + index}`, Name: filled('😀', 1020), Photo: filled('€', 6144), ...long };
  });
}

/** The rows that are stored otherwise than the file has them, or not at all. */
async function differences(rows: readonly Row[]): Promise<string[]> {
  const stored = await database.sql(`SELECT * FROM products ORDER BY SKU`);
  const bySku = new Map(stored.map((row) => [row.SKU, row]));
  const same = (row: Row) => Object.entries(row).every(([column, text]) => text === bySku.get(row.SKU)?.[column]);
  return [
    ...rows.filter((row) => !same(row)).map(({ SKU }) => SKU!),
    ...stored.slice(rows.length).map(() => 'one too many'),
  ];
}

/** Sets what the server takes in one message, for connections from now on. @returns what it was */
async function setMaxAllowedPacket(bytes: number): Promise<number> {
  const [row] = await database.sql('SELECT @@GLOBAL.max_allowed_packet AS bytes');
  await database.sql(`SET GLOBAL max_allowed_packet = ${bytes}`);
  return Number(row!.bytes);
}

/** The least that holds the longest legal row, all of its texts escaped. */
const SMALL_PACKET = 1_048_576;

describe(engine === 'mysql' ? 'with a max_allowed_packet of 1 MiB' : 'within what the engine takes', () => {
  let usual: number;
  if (engine === 'mysql') {
    beforeAll(async () => {
      const any = await TestDatabase.create();
      database = any;
      usual = await setMaxAllowedPacket(SMALL_PACKET);
      await any.drop();
    });
    afterAll(async () => {
      database = await TestDatabase.create();
      await setMaxAllowedPacket(usual);
      await database.drop();
    });
  }

  test('rows of the longest texts there are come in as they are, and change as they should', async () => {
    const rows = longProducts(HOSTILE);
    const folder = await database.files({ 'products.csv': importFile('products.csv', rows) });
    expect((await imported(folder)).tables).toEqual([expect.objectContaining({ rows: 11, added: 11 })]);
    expect(await differences(rows)).toEqual([]);
    expect((await imported(folder)).tables).toEqual([expect.objectContaining({ unchanged: 11 })]);

    const others = longProducts(['"', "'", ...HOSTILE.slice(2)]);
    const changed = await database.files({ 'products.csv': importFile('products.csv', others) });
    expect((await imported(changed)).tables).toEqual([expect.objectContaining({ changed: 2, unchanged: 9 })]);
    expect(await differences(others)).toEqual([]);
  });

  test('rows of the longest keys there are come in, and all go', async () => {
    const skus = Array.from({ length: 2500 }, (_, index) => '😀'.repeat(59) + (10_000 + index));
    const images = skus.map((sku, index) => [sku, '😀'.repeat(250) + (10_000 + index)]);
    const files = importFiles({ 'products.csv': skus.map((sku) => [sku]), 'product_images.csv': images });
    await imported(await database.files(files));
    const few = await database.files(importFiles({ 'product_images.csv': images.slice(0, 1) }));
    const { tables } = await imported('--replace', '--allow-removals', few);
    expect(tables).toEqual([expect.objectContaining({ unchanged: 1, removed: 2499 })]);
    expect(await database.sql('SELECT COUNT(*) AS n FROM product_images')).toEqual([{ n: 1 }]);
  });
});

test('more values than a statement may have placeholders: 3,000 rows, each with all of its 29 columns', async () => {
  const number = /_in_|^CartonQty$/;
  const rows = Array.from({ length: 3000 }, (_, index): Row => {
    const cell = (column: string) => (number.test(column) ? `${index % 900}` : `${column.slice(0, 20)} ${index}`);
    return { ...Object.fromEntries(PRODUCT_COLUMNS.map((column) => [column, cell(column)])), SKU: `P-${index}` };
  });
  expect(rows.length * PRODUCT_COLUMNS.length).toBeGreaterThan(65_535);
  const folder = await database.files({ 'products.csv': importFile('products.csv', rows) });
  expect((await imported(folder)).tables).toEqual([expect.objectContaining({ added: 3000 })]);
  const texts = rows.map((row) => Object.fromEntries(Object.entries(row).filter(([column]) => !number.test(column))));
  expect(await differences(texts)).toEqual([]);
  const [sums] = await database.sql('SELECT SUM(CartonQty) AS carton, COUNT(PackagedWeight_in_g) AS n FROM products');
  const carton = rows.reduce((sum, { CartonQty }) => sum + Number(CartonQty), 0);
  expect([Number(sums!.carton), Number(sums!.n)]).toEqual([carton, 3000]);
  expect((await imported(folder)).tables).toEqual([expect.objectContaining({ unchanged: 3000 })]);
});

// How long it takes is for the benchmark to tell.
test('of a stock file of 10,000 rows, of which 500 change, no other row is written', async () => {
  await imported(await database.files(largeCatalogue(1, 10_000)));
  const [header, ...rows] = largeCatalogue(1, 10_000)['stock.csv']!.trimEnd().split('\n');
  await database.sql([
    'CREATE TABLE written (n integer)',
    'CREATE TRIGGER stock_written AFTER UPDATE ON stock FOR EACH ROW BEGIN INSERT INTO written VALUES (1); END',
  ]);
  const changed = rows.map((row, index) => (index % 20 ? row : row.replace(/^(W,[^,]+),1\b/, '$1,7')));
  const folder = await database.files({ 'stock.csv': [header, ...changed, ''].join('\n') });
  const summary = await imported(folder);
  expect(summary.tables).toEqual([expect.objectContaining({ rows: 10_000, changed: 500, unchanged: 9500 })]);
  expect(await database.sql('SELECT COUNT(*) AS n FROM written')).toEqual([{ n: 500 }]);
});
