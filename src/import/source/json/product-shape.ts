import { Product } from '../../../catalog/product.entity.js';
import { arraysOf, fieldsOf, type Resource } from '../../../resource/field.decorator.js';
import { excerpt } from '../../excerpt.js';
import { didYouMean } from '../did-you-mean.js';
import { isObject, type JsonObject } from './json-value.js';

const ARRAYS = arraysOf(Product).map(({ name, resource }) => ({ name, keys: keysOf(resource) }));
const KEYS = new Set([...keysOf(Product), ...ARRAYS.map(({ name }) => name)]);

/** So many unknown keys of one object are named. */
const LISTED = 20;

function keysOf(resource: Resource): Set<string> {
  return new Set(fieldsOf(resource).map(({ name }) => name));
}

/**
 * Tells in what a product has another shape than an element of `GET /products`, but for what a cell of it can tell:
 * keys that are unknown, arrays that are missing or none.
 * @param complain with the path of the key
 */
export function checkShape(product: JsonObject, complain: (path: string, message: string) => void): void {
  checkKeys(product, KEYS, '', complain);
  for (const { name, keys } of ARRAYS) {
    const elements = product[name];
    if (elements === undefined) complain(name, 'missing key; write [] where there is no element');
    else if (!Array.isArray(elements)) complain(name, 'has to be an array, [] where there is no element');
    else for (const element of elements) checkElement(element, name, keys, complain);
  }
}

function checkElement(
  element: unknown,
  array: string,
  keys: ReadonlySet<string>,
  complain: (path: string, message: string) => void,
): void {
  if (isObject(element)) checkKeys(element, keys, `${array}.`, complain);
  else complain(array, 'has an element that is no object');
}

function checkKeys(
  object: JsonObject,
  keys: ReadonlySet<string>,
  prefix: string,
  complain: (path: string, message: string) => void,
): void {
  const unknown = Object.keys(object).filter((key) => !keys.has(key));
  const missing = [...keys].filter((name) => object[name] === undefined);
  for (const key of unknown.slice(0, LISTED)) complain(prefix + excerpt(key), `unknown key${didYouMean(key, missing)}`);
  if (unknown.length > LISTED) complain(prefix.slice(0, -1), `… and ${unknown.length - LISTED} more unknown keys`);
}
