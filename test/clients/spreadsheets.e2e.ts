import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describeWith } from '../support/describe-with.js';
import { call } from '../support/http-call.js';
import { importFiles } from '../support/import-files.js';
import { TestService } from '../support/test-service.js';

const COMMA = ','.charCodeAt(0);
const SEMICOLON = ';'.charCodeAt(0);
const TAB = '\t'.charCodeAt(0);
/** Microsoft's codes of the languages that LibreOffice reads numbers in. */
const [GERMAN, FRENCH, ENGLISH] = [1031, 1036, 1033];

/** Texts with a cell behind another delimiter that a spreadsheet would run. */
const NAMES = [
  'x;=1+1;y',
  'x,=1+1,y',
  'x\t=1+1\ty',
  'x\n=1+1\ny',
  'x;"=1+1;y',
  '=1+1',
  'plain, with a comma; and more',
];
/** A SKU with leading zeros, then some that look like no number. */
const SKUS = ['00701', ...NAMES.slice(1).map((_, index) => `S${index}`)];
const PRICES = ['12.6923', '0.01', '1234.5', '1200', '30.1', '99999.9999', '5'];
const PRICE_COLUMN = 4;

type Cell = number | string | null;

describeWith('soffice', 'CSV in LibreOffice', () => {
  let service: TestService;
  let token: string;
  let folder: string;
  beforeAll(async () => {
    service = await TestService.start();
    folder = await mkdtemp(join(tmpdir(), 'spreadsheets-'));
    await service.database.load(
      importFiles({
        'price_lists.csv': [['L', 'List', 'EUR']],
        'warehouses.csv': [['W', 'Warehouse']],
        'products.csv': SKUS.map((sku, index) => [sku, NAMES[index]!]),
        'prices.csv': SKUS.map((sku, index) => ['L', sku, PRICES[index]!, '1.125', '6', 'false']),
        'stock.csv': SKUS.map((sku) => ['W', sku, '2.5', '2027-01-31']),
        'customers.csv': [['C', 'Customer', 'L', 'W', '0']],
      }),
    );
    token = await service.token('C');
  });
  afterAll(async () => {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Fetches a file in this format. */
  async function file(path: string, accept: string): Promise<string> {
    const { status, bytes } = await call(service.url, { path, token, headers: { Accept: accept } });
    expect(status).toBe(200);
    const name = join(folder, `${path.slice(1)}-${accept.replaceAll(/\W+/g, '-')}.csv`);
    await writeFile(name, bytes);
    return name;
  }

  /** Opens files, and returns the document that LibreOffice makes of each. @param columns formats of columns */
  async function opened(files: string[], delimiter: number, language: number, columns = ''): Promise<string[]> {
    const filter = `CSV:${delimiter},34,76,1,${columns},${language},false,false`;
    const profile = `-env:UserInstallation=${pathToFileURL(join(folder, 'profile'))}`;
    const out = join(folder, 'out');
    const args = ['--headless', profile, '--convert-to', 'fods', `--infilter=${filter}`, '--outdir', out, ...files];
    await promisify(execFile)('soffice', args);
    return Promise.all(files.map((name) => readFile(join(out, basename(name).replace(/csv$/, 'fods')), 'utf8')));
  }

  test.each([
    ['German', GERMAN, SEMICOLON, 'text/csv;delimiter=semicolon;decimal=comma'],
    ['French', FRENCH, SEMICOLON, 'text/csv;decimal=comma;bom=1'],
    ['English', ENGLISH, COMMA, 'text/csv'],
  ])(
    'in %s, every number is a number, and a date is a date',
    async (_name, language, delimiter, accept) => {
      const files = [await file('/prices', accept), await file('/stock', accept), await file('/products', accept)];
      const documents = await opened(files, delimiter, language);
      const [prices, stock, products] = documents.map(rowsOf);
      expect(prices!.slice(1).map((cells) => cells.slice(PRICE_COLUMN))).toEqual(
        PRICES.map((price) => [Number(price), 1.125, 6]),
      );
      expect(stock!.slice(1).map((cells) => cells.slice(2))).toEqual(SKUS.map(() => [2.5, '2027-01-31']));
      expect(products!.map(([sku]) => sku)).toEqual(['SKU', 701, ...SKUS.slice(1)]);
      expect(documents.join()).not.toContain('table:formula');
    },
    120_000,
  );

  test('a decimal point makes texts of prices in German, and a column that is imported as text keeps its zeros', async () => {
    const files = [await file('/prices', 'text/csv;delimiter=semicolon')];
    const [prices] = (await opened(files, SEMICOLON, GERMAN, '4/2')).map(rowsOf);
    expect(prices!.slice(1).map((cells) => cells.slice(3, PRICE_COLUMN + 1))).toEqual(
      SKUS.map((sku, index) => [sku, Number(PRICES[index]).toFixed(4)]),
    );
  }, 120_000);

  test.each([
    ['semicolons', 'text/csv', SEMICOLON],
    ['commas', 'text/csv;decimal=comma', COMMA],
    ['tabs', 'text/csv', TAB],
  ])(
    'a file that is read with %s instead of its own delimiter has no formula',
    async (_name, accept, delimiter) => {
      const documents = await opened([await file('/products', accept)], delimiter, GERMAN);
      expect(documents.join()).toContain('1+1');
      expect(documents.join()).not.toContain('table:formula');
    },
    120_000,
  );
});

/** The rows of a flat spreadsheet. A date is its ISO text, so a test can tell it from a number. */
function rowsOf(document: string): Cell[][] {
  return document
    .split('<table:table-row')
    .slice(1)
    .map((row) => [...row.matchAll(/<table:table-cell([^>]*)>\s*((?:<text:p>.*?<\/text:p>\s*)*)/gs)].flatMap(cellsOf))
    .filter((cells) => cells.some((cell) => cell !== null));
}

function cellsOf([, attributes = '', content = '']: RegExpExecArray | RegExpMatchArray): Cell[] {
  const attribute = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(attributes)?.[1];
  const [type, number] = [attribute('office:value-type'), attribute('office:value')];
  const text = content.replaceAll(/<[^>]*>/g, '').trim();
  const value = type === 'float' ? Number(number) : (attribute('office:date-value') ?? (type ? text : null));
  return Array<Cell>(Number(attribute('table:number-columns-repeated') ?? 1)).fill(value);
}
