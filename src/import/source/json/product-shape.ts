import { Product } from '../../../catalog/product.entity.js';
import { arraysOf, type FieldDeclaration, fieldsOf, isRequired, type Resource } from '../../../resource/field.decorator.js';
import { excerpt, quoted } from '../../excerpt.js';
import { didYouMean } from '../did-you-mean.js';
import { isObject, type JsonObject } from './json-value.js';

/** So many unknown keys of one object are named. */
const LISTED = 20;

/** Tells of a fault, with the path of its key. */
type ReportProblem = (path: string, message: string) => void;

/**
 * The shape of the products of one file: that of elements of `GET /products`, of which keys may be absent. A key that is
 * not required is in all elements or in none.
 */
export class ProductShape {
  private readonly keys = new ElementKeys(Product, '');
  private readonly arrays = new Map(
    arraysOf(Product).map(({ name, resource }) => [name, new ElementKeys(resource, name)]),
  );

  /** Notes which keys the first product has. */
  begin(first: JsonObject): void {
    this.keys.begin(first, nameOf(first));
  }

  /** Whether the file has this key of a product, as far as it was read. True where it has no product at all. */
  has(key: string): boolean {
    return this.keys.has(key);
  }

  /** Those of the columns that the products have, or the elements of one of their arrays. */
  columnsIn(columns: readonly FieldDeclaration[], array?: string): readonly FieldDeclaration[] {
    const keys = array === undefined ? this.keys : this.arrays.get(array)!;
    return columns.filter((column) => isRequired(column) || keys.has(column.name));
  }

  /** Tells in what a product has another shape than the first one, but for what one of its cells can tell. */
  check(product: JsonObject, report: ReportProblem): void {
    const name = nameOf(product);
    this.keys.check(product, name, report);
    for (const [array, keys] of this.arrays) {
      const elements = product[array];
      if (elements === undefined) continue;
      if (!Array.isArray(elements)) report(array, 'has to be an array, [] where there is no element');
      else
        for (const [index, element] of elements.entries())
          if (isObject(element)) keys.check(element, `element ${index + 1} of ${name}`, report);
          else report(array, 'has an element that is no object');
    }
  }
}

/** The keys of the elements of one resource. */
class ElementKeys {
  private readonly known: ReadonlySet<string>;
  private readonly optional: readonly string[];
  private readonly prefix: string;
  /** What the first element is called, and those of the keys that it has. */
  private first?: { name: string; keys: ReadonlySet<string> };
  /** Keys that were complained of: once for a file, since a program wrote it. */
  private readonly told = new Set<string>();

  /** @param path leads to the elements; '' for products */
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
      const isThere = element[key] !== undefined;
      if (isThere === this.has(key) || this.told.has(key)) continue;
      this.told.add(key);
      const [having, lacking] = isThere ? [name, this.first!.name] : [this.first!.name, name];
      report(
        this.prefix + key,
        `missing key in ${lacking}, and ${having} has it; all elements have to have a key, or none of them`,
      );
    }
  }

  private refuseUnknown(element: JsonObject, report: ReportProblem): void {
    const unknown = Object.keys(element).filter((key) => !this.known.has(key));
    if (!unknown.length) return;
    const missing = [...this.known].filter((name) => element[name] === undefined);
    for (const key of unknown.slice(0, LISTED))
      report(this.prefix + excerpt(key), `unknown key${didYouMean(key, missing)}`);
    if (unknown.length > LISTED) report(this.path, `… and ${unknown.length - LISTED} more unknown keys`);
  }
}

function nameOf({ SKU }: JsonObject): string {
  return typeof SKU === 'string' ? `SKU ${quoted(SKU)}` : 'a product without a SKU';
}
