import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { difference, ENDPOINTS, expectedResponses, KEYS } from './support/expected-responses.js';
import { engine, TestDatabase, TestService } from './support/test-service.js';

const DEMO = resolve(import.meta.dirname, '../demo');
const CUSTOMERS = ['DEMO-EXPORT', 'DEMO-SHOP', 'DEMO-UK'];

/** The response bodies for each customer, by path. */
type Bodies = Record<string, Record<string, Buffer>>;

async function bodiesOf(service: TestService): Promise<Bodies> {
  const bodies: Bodies = {};
  for (const customerCode of CUSTOMERS) {
    const token = await service.token(customerCode);
    bodies[customerCode] = {};
    for (const path of ENDPOINTS)
      bodies[customerCode][path] = Buffer.from(await (await service.get(path, token)).arrayBuffer());
  }
  return bodies;
}

/** Each customer and endpoint whose response differs from the files of the folder, with the first difference. */
function differences(folder: string, bodies: Bodies): string[] {
  return CUSTOMERS.flatMap((customerCode) => {
    const expected = expectedResponses(folder, customerCode);
    return ENDPOINTS.flatMap((path) => {
      const found = difference(expected[path], bodies[customerCode]![path]!);
      return found ? [`${customerCode} ${path}: ${found}`] : [];
    });
  });
}

function filesIn(folder: string): Record<string, string> {
  const names = readdirSync(folder).toSorted();
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'latin1')]));
}

describe('a service started with DEMO_DATA=true on an empty database', () => {
  let service: TestService;
  afterEach(() => service.close());

  if (engine === 'sqlite')
    test('migrates an embedded database and loads the demo data into it', async () => {
      service = await TestService.start({ DEMO_DATA: 'true' }, await TestDatabase.create({ migrated: false }));
      expect(differences(DEMO, await bodiesOf(service))).toEqual([]);
    });
  else
    test('leaves a database on a server empty', async () => {
      service = await TestService.start({ DEMO_DATA: 'true' });
      for (const table of ['products', 'prices', 'stock', 'customers', 'api_keys'])
        expect(await service.database.sql(`SELECT * FROM ${table} LIMIT 1`)).toEqual([]);
    });
});

describe('the demo catalogue after an import, an export and an import into another database', () => {
  let service: TestService;
  let bodies: Bodies;
  let exported: string;
  beforeAll(async () => {
    const first = await TestDatabase.create();
    service = await TestService.start();
    exported = join(service.database.folder, 'first');
    await first.cliOk('import', DEMO);
    await first.cliOk('export', exported);
    await first.drop();
    await service.database.cliOk('import', exported);
    bodies = await bodiesOf(service);
  });
  afterAll(() => service.close());

  const parsed = (path: string) =>
    CUSTOMERS.map((code) => JSON.parse(String(bodies[code]![path])) as Record<string, unknown>[]);

  test('is returned with every cell of the files in demo/', () => {
    expect(differences(DEMO, bodies)).toEqual([]);
  });

  test('is returned with every cell of the exported files', () => {
    expect(differences(exported, bodies)).toEqual([]);
  });

  test('is exported again byte for byte', async () => {
    const again = join(service.database.folder, 'again');
    await service.database.cliOk('export', again);
    const [one, other] = [filesIn(exported), filesIn(again)];
    expect(Object.keys(one)).toEqual(expect.arrayContaining(Object.keys(filesIn(DEMO))));
    expect(Object.keys(other)).toEqual(Object.keys(one));
    expect(Object.keys(one).filter((name) => one[name] !== other[name])).toEqual([]);
  });

  test('has values in every column of products.csv, and nulls in every column except SKU', () => {
    const [header] = filesIn(DEMO)['products.csv']!.split('\n');
    const columns = header!.split(',');
    expect(columns.length).toBeGreaterThan(28);
    const products = parsed('/products').flat();
    const nulls = (field: string) => products.filter((product) => product[field] === null).length;
    expect(columns.filter((field) => nulls(field) === products.length)).toEqual([]);
    expect(columns.filter((field) => nulls(field) === 0)).toEqual(['SKU']);
  });

  test.each(KEYS['/products'].filter((key) => /^Product(I|A|S|Composition$|Prices$)/.test(key)))(
    'has elements in %s',
    (array) => {
      const elements = parsed('/products')
        .flat()
        .flatMap((product) => product[array]);
      expect(elements).not.toEqual([]);
    },
  );

  test('returns the ProductPrices of all products, in their order, in /prices (decision 6)', () => {
    for (const responses of Object.values(bodies)) {
      const nested = String(responses['/products']).matchAll(/"ProductPrices":\[(.*?)\]\}/gs);
      expect(`[${[...nested].map(([, prices]) => prices).join()}]`).toBe(String(responses['/prices']));
    }
  });

  test('returns stock only for products that /products returns (decision 6)', () => {
    const [products, stock] = [parsed('/products'), parsed('/stock')];
    stock.forEach((entries, index) => {
      const skus = new Set(products[index]!.map(({ SKU }) => SKU));
      expect(entries).not.toEqual([]);
      expect(entries.filter(({ SKU }) => !skus.has(SKU))).toEqual([]);
    });
  });
});
