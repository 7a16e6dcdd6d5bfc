import { Product } from '../src/catalog/product.entity.js';
import { type FieldDeclaration, fieldsOf, type Resource } from '../src/resource/field.decorator.js';
import { StockEntry } from '../src/stock/stock-entry.entity.js';
import { responsesOf, difference, ENDPOINTS } from './support/expected-responses.js';
import { A, smallCatalogue } from './support/small-catalogue.js';
import { tableCells } from './support/table-cells.js';
import { TestDatabase, TestService } from './support/test-service.js';

// The expected responses come from a list of their own. If they came from the declarations, a wrong declaration would
// be wrong on both sides, and every other test would pass.

let database: TestDatabase;
beforeAll(async () => {
  database = await TestDatabase.create();
  await database.load(smallCatalogue);
});
afterAll(() => database.drop());

/** What the expected responses find wrong with a service that starts now, a line for each endpoint. */
async function found(): Promise<string[]> {
  // They would hide a declaration that makes another value of the same shape.
  await database.sql('DELETE FROM product_documents');
  const service = await TestService.start({}, database);
  try {
    const token = await service.token(A);
    const expected = responsesOf(await tableCells(service.database), A);
    const lines: string[] = [];
    for (const path of ENDPOINTS) {
      const body = Buffer.from(await (await service.get(path, token)).arrayBuffer());
      const line = difference(expected[path], body);
      if (line) lines.push(`${path}: ${line}`);
    }
    return lines;
  } finally {
    await service.stop();
  }
}

/** Breaks a declaration while a service starts and responds. */
async function foundWith(resource: Resource, name: string, wrong: Partial<FieldDeclaration>): Promise<string[]> {
  const field = fieldsOf(resource).find((one) => one.name === name)!;
  const right = { ...field };
  Object.assign(field, wrong);
  try {
    return await found();
  } finally {
    Object.assign(field, { value: undefined, fixedScale: undefined, ...right });
  }
}

test('finds nothing wrong with the declarations as they are', async () => {
  expect(await found()).toEqual([]);
});

test.each<[string, Resource, string, Partial<FieldDeclaration>, string]>([
  [
    'with a scale that is not its own',
    Product,
    'CartonWeight_in_g',
    { fixedScale: 4 },
    '/products: SKU "A-ONLY", key CartonWeight_in_g:',
  ],
  ['of another column', Product, 'Theme', { value: ({ Name }) => Name }, '/products: SKU "A-ONLY", key Theme:'],
  [
    'of no column',
    StockEntry,
    'NextAvailableETA',
    { value: () => null },
    '/stock: SKU "SHARED", key NextAvailableETA:',
  ],
])('finds a declaration %s', async (_, resource, name, wrong, line) => {
  expect(await foundWith(resource, name, wrong)).toEqual([expect.stringContaining(line)]);
});
