import { type Clause, clause, holds, matches, same } from '../clause.js';
import { type DataPath, elements, jsonOf, nested } from '../data.js';
import { DATA_PATHS } from '../endpoints.js';
import type { Deployment } from '../deployment.js';
import { ARRAYS, type Fields, PRICE, PRODUCT, STOCK } from '../documented-fields.js';

interface SchemaField {
  name: string;
  type: string;
  required: boolean;
  wireName: string;
}

interface Schema {
  endpoint: string;
  apiVersion: string;
  fields: SchemaField[];
  arrays?: Record<string, { wireName: string; fields: SchemaField[] }>;
}

/** The endpoints whose fields the contract lists. */
const DOCUMENTED: Readonly<Record<DataPath, Fields>> = { '/products': PRODUCT, '/stock': STOCK, '/prices': PRICE };

/** §2.9: the schema responses, and whether the data matches them. */
export const SCHEMAS: Clause[] = [
  clause(
    '§2.9 keys',
    'a schema has its documented keys, and only that of products has arrays (decision 85)',
    async (deployment) => {
      for (const path of DATA_PATHS) {
        const keys = Object.keys(await schema(deployment, path));
        // The contract does not cover further endpoints, which may have arrays.
        const hasArrays = path === '/products' || (!DOCUMENTED[path] && keys.includes('arrays'));
        const arrays = hasArrays ? ['arrays'] : [];
        same(`keys of ${path}/schema`, keys, ['endpoint', 'apiVersion', 'fields', ...arrays]);
      }
    },
  ),
  clause('§2.9 endpoint', 'a schema names the endpoint that it describes', async (deployment) => {
    for (const path of DATA_PATHS) same('endpoint', (await schema(deployment, path)).endpoint, path);
  }),
  ...Object.entries(DOCUMENTED).map(([path, documented]) =>
    clause(`§2.9 ${path.slice(1)}-fields`, `${path}/schema has the fields of the contract in order`, async (to) => {
      sameFields(`of ${path}/schema`, (await schema(to, path as DataPath)).fields, documented, 'SKU');
    }),
  ),
  clause('§2.9 arrays', '/products/schema has the nested arrays and their fields', async (deployment) => {
    const { arrays = {} } = await schema(deployment, '/products');
    for (const [wireName, documented] of Object.entries(ARRAYS)) {
      const array = arrays[camelCase(wireName)];
      same(`wireName of ${camelCase(wireName)}`, array?.wireName, wireName);
      sameFields(`of ${camelCase(wireName)}`, array!.fields, documented);
    }
  }),
  clause(
    '§2.9 entries',
    'the name of a field is its wireName in camelCase, and its type is one word (§9.5)',
    async (deployment) => {
      for (const path of DATA_PATHS) {
        const { fields, arrays = {} } = await schema(deployment, path);
        for (const entry of [fields, ...Object.values(arrays).map((array) => array.fields)].flat()) {
          same(`keys of ${entry.name}`, Object.keys(entry).toSorted(), ['name', 'required', 'type', 'wireName']);
          same('name', entry.name, camelCase(entry.wireName));
          matches(`type of ${entry.name}`, entry.type, /^[a-z]+$/);
          same(`type of required of ${entry.name}`, typeof entry.required, 'boolean');
        }
      }
    },
  ),
  clause('§2.9 data', 'elements have exactly the keys of their schema (§9.4)', async (deployment) => {
    for (const path of DATA_PATHS) {
      const { fields, arrays = {} } = await schema(deployment, path);
      const keys = [...wireNames(fields), ...Object.values(arrays).map(({ wireName }) => wireName)];
      for (const element of await elements(deployment, path)) {
        same(`keys of an element of ${path}`, Object.keys(element), keys);
        for (const array of Object.values(arrays))
          for (const inner of nested(element, array.wireName))
            same(`keys in ${array.wireName}`, Object.keys(inner), wireNames(array.fields));
      }
    }
  }),
  clause('§9.2 repeated', 'a schema repeats the API profile of /api/version', async (deployment) => {
    const { apiVersion } = jsonOf(await deployment.ask({ path: '/api/version' })) as Schema;
    for (const path of DATA_PATHS) same(`profile of ${path}`, (await schema(deployment, path)).apiVersion, apiVersion);
  }),
];

async function schema(deployment: Deployment, path: DataPath): Promise<Schema> {
  const response = await deployment.ask({ path: `${path}/schema` });
  same(`status of ${path}/schema`, response.status, 200);
  const body = jsonOf(response) as Schema;
  holds(Array.isArray(body?.fields), `fields in ${path}/schema`, body);
  return body;
}

/** Ignores further fields: additions do not make a new API profile (docs/decisions.md#13). */
function sameFields(what: string, fields: SchemaField[], documented: Fields, required?: string): void {
  const expected = Object.entries(documented).map(([wireName, { type }]) => ({
    name: camelCase(wireName),
    type,
    required: wireName === required,
    wireName,
  }));
  const names = new Set(expected.map(({ name }) => name));
  const known = fields.filter(({ name }) => names.has(name));
  expected.forEach((field, index) => same(`field ${index + 1} ${what}`, known[index], field));
}

const wireNames = (fields: SchemaField[]) => fields.map(({ wireName }) => wireName);

const camelCase = (name: unknown) => String(name).charAt(0).toLowerCase() + String(name).slice(1);
