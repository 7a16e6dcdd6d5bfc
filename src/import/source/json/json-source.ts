import { Product } from '../../../catalog/product.entity.js';
import { ProductPrice } from '../../../pricing/product-price.entity.js';
import { arraysOf, type Field, type NestedArray, type Resource } from '../../../resource/field.decorator.js';
import { IMPORT_TABLES, type ImportTable } from '../../import-tables.js';
import type { InputFile } from '../input-file.js';
import { type JsonElement, jsonElements } from './json-elements.js';
import { jsonCell } from './json-cell.js';
import { isObject, type JsonObject, parseElement } from './json-value.js';
import { checkShape } from './product-shape.js';
import { type Complain, type ReadingOptions, SourceFault, type SourceRow, type TableSource } from '../table-source.js';
import { utf8Pieces } from '../utf8-pieces.js';

/** What joins the elements of the nested arrays to their product. */
const KEY = 'SKU';

/** An element of the file, with the line that it starts on. */
interface ReadProduct {
  line: number;
  product: JsonObject;
}

/**
 * What a file of products holds, in the very shape of `GET /products`, as NDJSON or as an array: the products, and a
 * table for each nested array. ProductPrices is known and passed over: it has the net prices of one customer.
 */
export function productSources(file: InputFile, options: ReadingOptions): TableSource[] {
  const imported = arraysOf(Product).filter(({ resource }) => resource !== ProductPrice);
  return [productSource(file, options), ...imported.map((array) => nestedSource(file, options, array))];
}

/** The products. All that is wrong with the file, but for the cells of nested arrays, is told here and once. */
function productSource(file: InputFile, options: ReadingOptions): TableSource {
  const table = tableFor(Product);
  const columns = table.columns.filter(({ answered }) => answered);
  return {
    table,
    file: file.name,
    columns,
    label: ({ name }) => name,
    async *rows(complain) {
      for await (const products of readProducts(file, options, complain)) {
        for (const { line, product } of products) checkShape(product, (path, message) => complain(line, path, message));
        yield products.map(({ line, product }) => ({
          line,
          cells: columns.map((column) => jsonCell(product[column.name], column)),
        }));
      }
    },
  };
}

/** The elements of one nested array, each with the SKU of its product. */
function nestedSource(file: InputFile, options: ReadingOptions, array: NestedArray): TableSource {
  const table = tableFor(array.resource);
  const columns = table.columns.filter(({ name, answered }) => name === KEY || answered);
  return {
    table,
    file: file.name,
    columns,
    label: ({ name }) => (name === KEY ? name : `${array.name}.${name}`),
    async *rows() {
      for await (const products of readProducts(file, options, () => undefined))
        yield products.flatMap((read) => nestedRows(read, array.name, columns));
    },
  };
}

/** None of a product that productSource complains of, since that would be told twice. */
function nestedRows({ line, product }: ReadProduct, array: string, columns: readonly Field[]): SourceRow[] {
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
  complain: Complain,
): AsyncGenerator<ReadProduct[]> {
  for await (const elements of jsonElements(decoded(utf8Pieces(file.bytes(), encoding))))
    yield elements.flatMap((element) => readProduct(element, complain));
}

async function* decoded(pieces: AsyncIterable<Buffer>): AsyncGenerator<string> {
  for await (const piece of pieces) yield piece.toString();
}

/** The product, or none after a complaint. */
function readProduct(element: JsonElement, complain: Complain): ReadProduct[] {
  try {
    const product = parseElement(element);
    if (isObject(product)) return [{ line: element.line, product }];
    complain(element.line, '', 'a product was expected, an object in { and }');
  } catch (fault) {
    // Where the element ends is known all the same: the next one can be read.
    if (!(fault instanceof SourceFault)) throw fault;
    complain(fault.line, '', fault.message);
  }
  return [];
}
