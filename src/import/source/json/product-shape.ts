import { Product } from '../../../catalog/product.entity.js';
import {
  arraysOf,
  type FieldDeclaration,
  fieldsOf,
  isRequired,
  type Resource,
} from '../../../resource/field.decorator.js';
import { excerpt, quoted } from '../../excerpt.js';
import { didYouMean } from '../did-you-mean.js';
import { isObject, type JsonObject } from './json-value.js';

/** The number of unknown keys of one object that are named. */
const MAX_LISTED = 20;

/** Reports a fault, with the path of its key. */
type ReportProblem = (path: string, message: string) => void;

/**
 * The shape of the products of one file: that of `GET /products`, but keys may be absent. A key that is not required is
 * in all elements or in none.
 */
export class ProductShape {
  private readonly keys = new ElementKeys(Product, '');
  private readonly arrays = new Map(
    arraysOf(Product).map(({ name, resource }) => [name, new ElementKeys(resource, name)]),
  );

  /** Records which keys the first product has. */
  begin(first: JsonObject): void {
    this.keys.begin(first, nameOf(first));
  }

  /** Whether the products read so far have this key. True if the file has no product. */
  has(key: string): boolean {
    return this.keys.has(key);
  }

  /** Returns the columns that the products have, or that the elements of one of their arrays have. */
  columnsIn(columns: readonly FieldDeclaration[], array?: string): readonly FieldDeclaration[] {
    const keys = array === undefined ? this.keys : this.arrays.get(array)!;
    return columns.filter((column) => isRequired(column) || keys.has(column.name));
  }

  /** Reports differences from the shape of the first product, except for faults of single cells (see `jsonCell`). */
  check(product: JsonObject, report: ReportProblem): void {
    const name = nameOf(product);
    this.keys.check(product, name, report);
    for (const [array, keys] of this.arrays) {
      const elements = product[array];
      if (elements === undefined) continue;
      if (!Array.isArray(elements)) report(array, 'must be an array; write [] for no elements');
      else
        for (const [index, element] of elements.entries())
          if (isObject(element)) keys.check(element, `element ${index + 1} of ${name}`, report);
          else report(array, 'has an element that is not an object');
    }
  }
}

/** The keys of the elements of one resource. */
class ElementKeys {
  private readonly known: ReadonlySet<string>;
  private readonly optional: readonly string[];
  private readonly prefix: string;
  /** The name of the first element in messages, and the optional keys that it has. */
  private first?: { name: string; keys: ReadonlySet<string> };
  /** Keys that were reported. Each is reported once for the file, since a program makes the same mistake everywhere. */
  private readonly reported = new Set<string>();

  /** @param path of the elements; '' for products */
  constructor(
    resource: Resource,
    private readonly path: string,
  ) {
    this.prefix = path && `${path}.`;
    const fields = fieldsOf(resource);
    const arrays = arraysOf(resource).map(({ name }) => name);
    this.known = new Set([...fields.map(({ name }) => name), ...arrays]);
    this.optional = [...fields.filter((field) => !isRequired(field)).map(({ name }) => name), ...arrays];
  }

  begin(element: JsonObject, name: string): void {
    this.first ??= { name, keys: new Set(this.optional.filter((key) => element[key] !== undefined)) };
  }

  has(key: string): boolean {
    return this.first?.keys.has(key) ?? true;
  }

  check(element: JsonObject, name: string, report: ReportProblem): void {
    this.begin(element, name);
    this.refuseUnknown(element, report);
    for (const key of this.optional) {
      const isPresent = element[key] !== undefined;
      if (isPresent === this.has(key) || this.reported.has(key)) continue;
      this.reported.add(key);
      const [having, lacking] = isPresent ? [name, this.first!.name] : [this.first!.name, name];
      report(
        this.prefix + key,
        `missing key in ${lacking}, but ${having} has it; give the key to all elements or to none`,
      );
    }
  }

  private refuseUnknown(element: JsonObject, report: ReportProblem): void {
    const unknown = Object.keys(element).filter((key) => !this.known.has(key));
    if (!unknown.length) return;
    const missing = [...this.known].filter((name) => element[name] === undefined);
    for (const key of unknown.slice(0, MAX_LISTED))
      report(this.prefix + excerpt(key), `unknown key${didYouMean(key, missing)}`);
    if (unknown.length > MAX_LISTED) report(this.path, `… and ${unknown.length - MAX_LISTED} more unknown keys`);
  }
}

function nameOf({ SKU }: JsonObject): string {
  return typeof SKU === 'string' ? `SKU ${quoted(SKU)}` : 'a product without a SKU';
}
