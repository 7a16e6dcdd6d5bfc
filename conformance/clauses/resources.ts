import { type Clause, clause, holds, same } from '../clause.js';
import { NotTestable } from '../failure.js';
import { compareCodePoints, type Element, elements, nested, numbersIn } from '../data.js';
import { DATA_PATHS } from '../endpoints.js';
import type { Deployment } from '../deployment.js';
import { ARRAYS, type Field, type Fields, PRICE, PRODUCT, STOCK } from '../documented-fields.js';

/** The elements of a resource, and their order. */
interface Resource {
  section: string;
  name: string;
  fields: Fields;
  /** The lists that contain the elements, each with its name. */
  lists: (deployment: Deployment) => Promise<[string, Element[]][]>;
  /** Negative if `one` must precede `other`. */
  compare: (one: Element, other: Element) => number;
}

const by = (key: string) => (one: Element, other: Element) => compareCodePoints(one[key], other[key]);

const listOf = (path: (typeof DATA_PATHS)[number]) => async (deployment: Deployment) =>
  [[path, await elements(deployment, path)]] as [string, Element[]][];

const listsWithin = (array: string) => async (deployment: Deployment) =>
  (await elements(deployment, '/products')).map(
    (product) => [`${array} of ${JSON.stringify(product.SKU)}`, nested(product, array)] as [string, Element[]],
  );

const within = (section: string, array: string, compare: Resource['compare']): Resource => ({
  section,
  name: array,
  fields: ARRAYS[array]!,
  lists: listsWithin(array),
  compare,
});

const primaryFirst = (one: Element, other: Element) =>
  Number(other.IsPrimaryImage === true) - Number(one.IsPrimaryImage === true) || by('ImageID')(one, other);

const RESOURCES: Resource[] = [
  { section: '§2.1', name: 'products', fields: PRODUCT, lists: listOf('/products'), compare: by('SKU') },
  within('§2.2', 'ProductImages', primaryFirst),
  within('§2.3', 'ProductAccessories', by('AccessorySKU')),
  within('§2.4', 'ProductSubstitutions', by('SubstituteSKU')),
  within('§2.5', 'ProductComposition', by('MaterialCode')),
  within('§2.6', 'ProductPrices', by('SKU')),
  { section: '§2.6', name: 'prices', fields: PRICE, lists: listOf('/prices'), compare: by('SKU') },
  { section: '§2.7', name: 'stock', fields: STOCK, lists: listOf('/stock'), compare: by('SKU') },
];

/** §2.1 to §2.7: the clauses of each resource. */
export const RESOURCE_CLAUSES: Clause[] = RESOURCES.flatMap((resource) => {
  const { section, name, fields } = resource;
  return [
    clause(`${section} ${name}-keys`, `${name} have every field in its spelling and order (decision 1)`, async (to) => {
      for (const [where, element] of await found(resource, to)) {
        const keys = Object.keys(element).filter((key) => key in fields);
        same(`keys of ${where}`, keys, Object.keys(fields));
      }
    }),
    clause(`${section} ${name}-types`, `values of ${name} have their types, and null only if nullable`, async (to) => {
      for (const [where, element] of await found(resource, to))
        for (const [key, field] of Object.entries(fields))
          holds(isOfType(element[key], field), `${where}: ${key} ${typeName(field)}`, element[key]);
    }),
    clause(`${section} ${name}-sizes`, `no value of ${name} is longer than documented (decision 37)`, async (to) => {
      for (const [where, element] of await found(resource, to))
        for (const [key, { fits, type }] of Object.entries(fields))
          if (type === 'string' && typeof element[key] === 'string')
            holds(fits(element[key]), `${where}: ${key} no longer than documented`, element[key]);
    }),
    clause(
      `${section} ${name}-order`,
      `${name} are in the documented order, without duplicates (decision 2)`,
      async (to) => {
        await found(resource, to);
        for (const [list, all] of await resource.lists(to)) {
          const wrong = all.findIndex((element, index) => index > 0 && resource.compare(all[index - 1]!, element) >= 0);
          holds(wrong < 0, `${list} in order`, all.slice(Math.max(wrong - 1, 0), wrong + 1));
        }
      },
    ),
  ];
});

/** §2: the clauses of all numbers. */
export const NUMBERS: Clause[] = [
  clause('§2 numbers', 'numbers are plain decimals without trailing zeros (decision 3)', async (deployment) => {
    for (const [path, key, number] of await numbers(deployment))
      if (key !== 'PriceExclVAT')
        holds(/^(?!-0$)-?(0|[1-9]\d*)(\.\d*[1-9])?$/.test(number), `${path}: ${key} as a shortest decimal`, number);
  }),
  clause('§2 number-sizes', 'no number has more digits than documented (decision 37)', async (deployment) => {
    const fields: Fields = { ...PRODUCT, ...Object.assign({}, ...Object.values(ARRAYS)), ...STOCK };
    for (const [path, key, number] of await numbers(deployment))
      holds(fields[key]?.fits(number) ?? true, `${path}: ${key} with no more digits than documented`, number);
  }),
  clause('§2.6 four-decimals', 'PriceExclVAT always has four decimals (decision 3)', async (deployment) => {
    const prices = (await numbers(deployment)).filter(([, key]) => key === 'PriceExclVAT');
    if (!prices.length) throw new NotTestable('this customer has no prices');
    for (const [path, key, number] of prices) holds(/^\d+\.\d{4}$/.test(number), `${path}: ${key} like 1.0000`, number);
  }),
];

async function numbers(deployment: Deployment): Promise<[string, string, string][]> {
  const all: [string, string, string][] = [];
  for (const path of DATA_PATHS) {
    const { bytes } = await deployment.ask({ path });
    for (const { key, number } of numbersIn(bytes.toString())) all.push([path, key, number]);
  }
  return all;
}

/** All elements of a resource, each with its position. @throws {NotTestable} if this customer has none */
async function found({ name, lists }: Resource, deployment: Deployment): Promise<[string, Element][]> {
  const located = (await lists(deployment)).flatMap(([list, all]) =>
    all.map((element, index) => [`${list}[${index}]`, element] as [string, Element]),
  );
  if (!located.length) throw new NotTestable(`this customer has no ${name}`);
  return located;
}

function isOfType(value: unknown, { type, nullable }: Field): boolean {
  if (value === null) return nullable;
  if (type === 'date') return typeof value === 'string' && isDay(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === (type === 'decimal' ? 'number' : type);
}

/** Whether the text is an existing calendar day as YYYY-MM-DD. */
function isDay(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function typeName({ type, nullable }: Field): string {
  return `as ${type}${nullable ? ' or null' : ''}`;
}
