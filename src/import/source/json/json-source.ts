import { Product } from '../../../catalog/product.entity.js';
import { ProductPrice } from '../../../pricing/product-price.entity.js';
import { tableOf } from '../../../resource/columns.js';
import { arraysOf, type FieldDeclaration, type NestedArray, type Resource } from '../../../resource/field.decorator.js';
import { IMPORT_TABLES, type ImportTable } from '../../import-tables.js';
import type { InputFile } from '../input-file.js';
import { type JsonElement, jsonElements } from './json-elements.js';
import { jsonCell } from './json-cell.js';
import { isObject, type JsonObject, parseElement } from './json-value.js';
import { ProductShape } from './product-shape.js';
import {
  type ReportProblem,
  type ReadingOptions,
  SourceFault,
  type SourceRow,
  type TableSource,
} from '../table-source.js';
import { utf8Pieces } from '../utf8-pieces.js';

/** The key that joins the elements of nested arrays to their product. */
const KEY = 'SKU';

/** An element of the file. */
interface ReadProduct {
  /** The number of its first line, counted from 1. */
  line: number;
  product: JsonObject;
}

/** The content of a file of products. */
interface ProductFile {
  /** The products, then one source for each nested array. */
  readonly sources: readonly TableSource[];
  /** Arrays that the file lacks, one line each. Call it after the file was read. */
  notes(): string[];
}

/**
 * Opens a file of products in the exact shape of `GET /products`, as NDJSON or as an array: the products, and a table
 * for each nested array. ProductPrices is known but ignored, because it has the net prices of one customer.
 * Read the products first: that shows which keys the elements of the arrays have.
 */
export function productSources(file: InputFile, options: ReadingOptions): ProductFile {
  const imported = arraysOf(Product).filter(({ resource }) => resource !== ProductPrice);
  const shape = new ProductShape();
  const absent = () => imported.filter(({ name }) => !shape.has(name));
  return {
    sources: [
      new ProductSource(file, options, shape),
      ...imported.map((array) => new NestedSource(file, options, shape, array)),
    ],
    notes: () =>
      absent().map(
        ({ name, resource }) => `${file.name}: no product has ${name}; ${tableOf(resource)} stays unchanged`,
      ),
  };
}

/** The products. This source alone reports the faults of the file, except for the cells of nested arrays. */
class ProductSource implements TableSource {
  readonly table = tableFor(Product);
  readonly file: string;
  columns: readonly FieldDeclaration[] = this.table.columns.filter(({ returned }) => returned);

  constructor(
    private readonly input: InputFile,
    private readonly options: ReadingOptions,
    private readonly shape: ProductShape,
  ) {
    this.file = input.name;
  }

  label({ name }: FieldDeclaration): string {
    return name;
  }

  async begin(): Promise<boolean> {
    // Faults before the first product are reported when all products are read.
    for await (const [first] of readProducts(this.input, this.options, () => undefined)) {
      if (!first) continue;
      this.shape.begin(first.product);
      this.columns = this.shape.columnsIn(this.columns);
      break;
    }
    return true;
  }

  async *rows(report: ReportProblem): AsyncGenerator<SourceRow[]> {
    for await (const products of readProducts(this.input, this.options, report)) {
      for (const { line, product } of products)
        this.shape.check(product, (path, message) => report(line, path, message));
      yield products.map(({ line, product }) => ({
        line,
        cells: this.columns.map((column) => jsonCell(product[column.name], column)),
      }));
    }
  }
}

/** The elements of one nested array, each with the SKU of its product. */
class NestedSource implements TableSource {
  readonly table: ImportTable;
  readonly file: string;
  columns: readonly FieldDeclaration[];

  constructor(
    private readonly input: InputFile,
    private readonly options: ReadingOptions,
    private readonly shape: ProductShape,
    private readonly array: NestedArray,
  ) {
    this.file = input.name;
    this.table = tableFor(array.resource);
    this.columns = this.table.columns.filter(({ name, returned }) => name === KEY || returned);
  }

  label({ name }: FieldDeclaration): string {
    return name === KEY ? name : `${this.array.name}.${name}`;
  }

  async begin(): Promise<boolean> {
    this.columns = this.shape.columnsIn(this.columns, this.array.name);
    return this.shape.has(this.array.name);
  }

  async *rows(): AsyncGenerator<SourceRow[]> {
    for await (const products of readProducts(this.input, this.options, () => undefined))
      yield products.flatMap((read) => nestedRows(read, this.array.name, this.columns));
  }
}

/** Leaves out products that `ProductSource` reports, so that no fault is reported twice. */
function nestedRows({ line, product }: ReadProduct, array: string, columns: readonly FieldDeclaration[]): SourceRow[] {
  const key = product[KEY];
  const elements = product[array];
  if (typeof key !== 'string' || key.trim() === '' || !Array.isArray(elements)) return [];
  return elements.filter(isObject).map((element) => ({
    line,
    cells: columns.map((column) => (column.name === KEY ? key : jsonCell(element[column.name], column))),
  }));
}

function tableFor(resource: Resource): ImportTable {
  return IMPORT_TABLES.find(({ entity }) => entity === resource)!;
}

async function* readProducts(
  file: InputFile,
  { encoding }: ReadingOptions,
  report: ReportProblem,
): AsyncGenerator<ReadProduct[]> {
  for await (const elements of jsonElements(decoded(utf8Pieces(file.bytes(), encoding))))
    yield elements.flatMap((element) => readProduct(element, report));
}

async function* decoded(pieces: AsyncIterable<Buffer>): AsyncGenerator<string> {
  for await (const piece of pieces) yield piece.toString();
}

/** Returns the product, or [] after it has reported a problem. */
function readProduct(element: JsonElement, report: ReportProblem): ReadProduct[] {
  try {
    const product = parseElement(element);
    if (isObject(product)) return [{ line: element.line, product }];
    report(element.line, '', 'expected a product, which is an object in { and }');
  } catch (fault) {
    // The end of the element is known, so the next one can be read.
    if (!(fault instanceof SourceFault)) throw fault;
    report(fault.line, '', fault.message);
  }
  return [];
}
