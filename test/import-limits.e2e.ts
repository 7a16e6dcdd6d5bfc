import { cliProcess } from './support/commands.js';
import { COLUMNS, importFile, importFiles } from './support/import-files.js';
import { largeCatalogue } from './support/large-catalogue.js';
import { engine, TestDatabase } from './support/test-service.js';

const LONG = ['Description', 'WebsiteDescription', 'WashingInstructions', 'WhatsIncluded', 'ProductCompositionText'];
const LONG_BYTES = 65_535;
const PRODUCT_COLUMNS = COLUMNS['products.csv'].split(',');
/** Texts that a statement escapes, and texts with more bytes than characters. Several of the latter are in a row. */
const HOSTILE = ['😀', '😀', '€', '€', '€', "'", '"', '\\', '\n', `\\'"€😀`, 'x'];

type Row = Record<string, string>;
interface Summary {
  outcome: string;
  tables: { table: string; rows: number; added: number; changed: number; unchanged: number; removed: number }[];
}

let database: TestDatabase;
beforeEach(async () => void (database = await TestDatabase.create()));
afterEach(() => database.drop());

/** Imports in a process of its own. @returns the summary */
async function imported(...args: string[]): Promise<Summary> {
  const { code, stdout, stderr } = await cliProcess(database, 'import', '--json', ...args);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Summary;
}

/** Repeats the text and pads it with `x` to exactly `bytes` bytes. */
function filled(text: string, bytes: number): string {
  const times = Math.floor(bytes / Buffer.byteLength(text));
  return text.repeat(times) + 'x'.repeat(bytes - times * Buffer.byteLength(text));
}

/** One product per text. The text fills the long columns of the product up to their limits. */
function longProducts(texts: readonly string[]): Row[] {
  return texts.map((text, index) => {
    const long = Object.fromEntries(LONG.map((column) => [column, filled(text, LONG_BYTES)]));
    return { SKU: `P-${100 + index}`, Name: filled('😀', 1020), Photo: filled('€', 6144), ...long };
  });
}

/** The SKUs of the rows that are missing or stored with other values, and an entry for each surplus stored row. */
async function differences(rows: readonly Row[]): Promise<string[]> {
  const stored = await database.sql(`SELECT * FROM products ORDER BY SKU`);
  const bySku = new Map(stored.map((row) => [row.SKU, row]));
  const same = (row: Row) => Object.entries(row).every(([column, text]) => text === bySku.get(row.SKU)?.[column]);
  return [
    ...rows.filter((row) => !same(row)).map(({ SKU }) => SKU!),
    ...stored.slice(rows.length).map(() => 'one too many'),
  ];
}

/** Sets `max_allowed_packet` for new connections. @returns the previous value */
async function setMaxAllowedPacket(bytes: number): Promise<number> {
  const [row] = await database.sql('SELECT @@GLOBAL.max_allowed_packet AS bytes');
  await database.sql(`SET GLOBAL max_allowed_packet = ${bytes}`);
  return Number(row!.bytes);
}

/** The smallest `max_allowed_packet` that fits the longest valid row with all texts escaped. */
const SMALL_PACKET = 1_048_576;

describe(engine === 'mysql' ? 'with a max_allowed_packet of 1 MiB' : 'within the limits of the engine', () => {
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

  test('rows with the longest texts are imported exactly and can be updated', async () => {
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

  test('rows with the longest keys are imported and can be removed', async () => {
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

test('imports 3,000 rows of 29 columns, more values than a statement may have placeholders', async () => {
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

// The benchmark measures the duration.
test('writes only the 500 changed rows of a stock file with 10,000 rows', async () => {
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
