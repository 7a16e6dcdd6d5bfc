import { Product } from '../src/catalog/product.entity.js';
import { type FieldDeclaration, fieldsOf, type Resource } from '../src/resource/field.decorator.js';
import { StockEntry } from '../src/stock/stock-entry.entity.js';
import { responsesOf, difference, ENDPOINTS } from './support/expected-responses.js';
import { A, smallCatalogue } from './support/small-catalogue.js';
import { tableCells } from './support/table-cells.js';
import { TestDatabase, TestService } from './support/test-service.js';

// The expected responses come from a separate list. If they came from the declarations, a wrong declaration would
// affect both sides of the comparison, and every other test would pass.

let database: TestDatabase;
beforeAll(async () => {
  database = await TestDatabase.create();
  await database.load(smallCatalogue);
});
afterAll(() => database.drop());

/** Starts a service and compares its responses with the expected ones. @returns a line for each wrong endpoint */
async function differences(): Promise<string[]> {
  // Stored documents would hide a wrong declaration that keeps the serialization hash.
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

/** Returns the differences while a declaration is wrong. */
async function differencesWith(resource: Resource, name: string, wrong: Partial<FieldDeclaration>): Promise<string[]> {
  const field = fieldsOf(resource).find((one) => one.name === name)!;
  const right = { ...field };
  Object.assign(field, wrong);
  try {
    return await differences();
  } finally {
    Object.assign(field, { value: undefined, fixedScale: undefined, ...right });
  }
}

test('the comparison accepts the declarations', async () => {
  expect(await differences()).toEqual([]);
});

test.each<[string, Resource, string, Partial<FieldDeclaration>, string]>([
  [
    'with a wrong scale',
    Product,
    'CartonWeight_in_g',
    { fixedScale: 4 },
    '/products: SKU "A-ONLY", key CartonWeight_in_g:',
  ],
  [
    'with the value of another column',
    Product,
    'Theme',
    { value: ({ Name }) => Name },
    '/products: SKU "A-ONLY", key Theme:',
  ],
  [
    'without a value',
    StockEntry,
    'NextAvailableETA',
    { value: () => null },
    '/stock: SKU "SHARED", key NextAvailableETA:',
  ],
])('the comparison detects a declaration %s', async (_, resource, name, wrong, line) => {
  expect(await differencesWith(resource, name, wrong)).toEqual([expect.stringContaining(line)]);
});
