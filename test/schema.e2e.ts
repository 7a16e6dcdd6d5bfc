import request from 'supertest';
import { withoutFurtherFields } from './support/further-fields.js';
import { importFiles } from './support/import-files.js';
import { TestService } from './support/test-service.js';

let service: TestService;
let token: string;
beforeAll(async () => {
  service = await TestService.start();
  await service.database.load(importFiles({ 'customers.csv': [['C', '', '', '', '0']] }));
  token = await service.token('C');
});
afterAll(() => service.close());

/** Parses `name type` pairs into fields of a schema response. `required` names the required fields. */
const fields = (text: string, required: string[] = []) =>
  text
    .trim()
    .split(/\s*,\s*/)
    .map((pair) => pair.split(' ') as [string, string])
    .map(([name, type]) => ({ name, type, required: required.includes(name), wireName: wireName(name) }));

/** Returns the key in data responses, which starts with a capital (docs/decisions.md#85). */
const wireName = (name: string) => name[0]!.toUpperCase() + name.slice(1);

/** Returns an entry of `arrays`. */
const array = (name: string, text: string) => ({ [name]: { wireName: wireName(name), fields: fields(text) } });

const PRICE = `priceListCode string, priceListName string, currencyCode string, sKU string, priceExclVAT decimal,
  mOQ decimal, orderMultiple decimal`;

const schema = (path: string) => request(service.url).get(path).set('Authorization', `Bearer ${token}`);

/** Compares a schema byte by byte with the expected one. Ignores fields that the expected one does not know. */
async function expectSchema(path: string, expected: object): Promise<void> {
  const { text } = await schema(path).expect(200);
  expect(withoutFurtherFields(text, JSON.stringify(expected))).toBe(JSON.stringify(expected));
}

test('GET /products/schema returns fields and nested arrays in order of declaration (interface §2.9)', async () => {
  await expectSchema('/products/schema', {
    endpoint: '/products',
    apiVersion: '2026-04',
    fields: fields(
      `sKU string, name string, description string, websiteDescription string, productCategoryCode string,
       washingInstructions string, gender string, audience string, mainColour string, barcode string, photo string,
       theme string, packagedLength_in_cm decimal, packagedWidth_in_cm decimal, packagedHeight_in_cm decimal,
       packagedWeight_in_g decimal, cartonLength_in_cm decimal, cartonWidth_in_cm decimal, cartonHeight_in_cm decimal,
       cartonWeight_in_g decimal, cartonQty integer, amazonASIN string, countryOfOrigin string, status string,
       styleCode string, cartonBarcode string, hSCode string, whatsIncluded string, productCompositionText string`,
      ['sKU'],
    ),
    arrays: {
      ...array('productImages', 'imageID string, fileName string, isPrimaryImage boolean'),
      ...array('productAccessories', 'accessorySKU string'),
      ...array('productSubstitutions', 'substituteSKU string'),
      ...array('productComposition', 'materialCode string, materialDescription string, compositionPercentage decimal'),
      ...array('productPrices', PRICE),
    },
  });
});

test('GET /prices/schema returns the fields of a price, with sKU required (decision 85)', async () => {
  await expectSchema('/prices/schema', {
    endpoint: '/prices',
    apiVersion: '2026-04',
    fields: fields(PRICE, ['sKU']),
  });
});

test('GET /stock/schema returns fields without the key arrays (interface §2.9)', async () => {
  await expectSchema('/stock/schema', {
    endpoint: '/stock',
    apiVersion: '2026-04',
    fields: fields('sKU string, stockLocation string, availableQTY decimal, nextAvailableETA date', ['sKU']),
  });
});

test('GET /stock/schema returns keys in the order of the interface (interface §2.9)', async () => {
  const { text } = await schema('/stock/schema');
  expect(text).toMatch(
    /^\{"endpoint":"\/stock","apiVersion":"2026-04","fields":\[\{"name":"sKU","type":"string","required":true,"wireName":"SKU"\},/,
  );
});
