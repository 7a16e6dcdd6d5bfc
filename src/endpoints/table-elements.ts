import {
  assortment,
  type AssortmentTables,
  ASSORTMENT_ENTITIES,
  lastSkuOf,
  type SkuSelection,
  skusInAssortment,
} from '../assortment/assortment.js';
import type { Snapshot } from '../database/engine.js';
import type { Elements } from '../download/elements.js';
import { importTableOf } from '../import/import-tables.js';
import { selectColumns } from '../resource/columns.js';
import type { Resource } from '../resource/field.decorator.js';
import { jsonWriter } from '../resource/json-writer.js';
import { type CustomerTerms, type Division, isDivision, valueOf } from '../scope/customer-scope.js';
import type { DataEndpoint } from './data-endpoint.js';

/** Types that a key may have. JavaScript and the database order their values alike. */
const ORDERED = new Set(['varchar', 'int', 'date']);

/** Reads the elements of an endpoint from the table of its resource, or from the assortment with its `select`. */
export class TableElements implements Elements {
  private readonly write;
  private readonly select: string;
  private readonly table?: ScopedTable;

  /** @throws if the declarations do not determine which rows a customer sees, or their order */
  constructor({ path, resource, select }: DataEndpoint) {
    this.write = jsonWriter(resource);
    if (!select && !importTableOf(resource))
      throw new Error(`${path}: ${resource.name} has no table. Give it a select`);
    this.select = select ?? selectColumns(resource);
    if (!select && !ASSORTMENT_ENTITIES.includes(resource)) this.table = scopedTable(path, resource);
  }

  /** Yields the elements in batches. Each element is JSON with the separator before it. */
  async *elements(
    snapshot: Snapshot,
    terms: CustomerTerms,
    separator: string,
    among?: SkuSelection,
  ): AsyncGenerator<string> {
    const tables = this.tables(snapshot, terms);
    if (!tables) return;
    for await (const rows of assortment(snapshot, terms, { select: () => this.select, ...tables, among })) {
      // Appending takes 3 to 7 % less time for the response than `join`, because it needs no array of elements.
      let text = '';
      for (const row of rows) text += separator + this.write(row, terms);
      yield text;
    }
  }

  async lastSku(snapshot: Snapshot, terms: CustomerTerms): Promise<string | undefined> {
    const tables = this.tables(snapshot, terms);
    return tables && lastSkuOf(snapshot, terms, tables);
  }

  async skus(snapshot: Snapshot, terms: CustomerTerms, skus: readonly string[]): Promise<ReadonlySet<string>> {
    const tables = this.tables(snapshot, terms);
    return tables ? skusInAssortment(snapshot, terms, skus, tables) : new Set();
  }

  /** @returns undefined if a price list or a warehouse selects the rows and the customer has none assigned */
  private tables(snapshot: Snapshot, terms: CustomerTerms): AssortmentTables | undefined {
    if (!this.table) return {};
    const { name, scope, key } = this.table;
    const parameters = scope.map((column) => valueOf(column, terms));
    if (parameters.includes(null)) return undefined;
    const conditions = scope.map((column) => `${name}.${column} = ?`);
    if (key.length) return { elements: { name, condition: conditions.join(' AND '), parameters, key } };
    const on = [`${name}.SKU = prices.SKU`, ...conditions].join(' AND ');
    return { further: { join: `${snapshot.join(name)} ON ${on}`, parameters } };
  }
}

interface ScopedTable {
  name: string;
  /** Columns whose value must be the customer's. */
  scope: readonly Division[];
  /** The columns that distinguish rows of the same SKU. Empty if each SKU has one row. */
  key: readonly string[];
}

function scopedTable(path: string, resource: Resource): ScopedTable {
  const { name, columns, key } = importTableOf(resource)!;
  const names = columns.map((column) => column.name);
  if (!key.includes('SKU')) throw new Error(`${path}: the key of ${name} has no SKU`);
  // The terms do not contain the Customer Code, because equal terms must give equal responses.
  if (names.includes('CustomerCode'))
    throw new Error(
      `${path}: each row of ${name} belongs to one customer, but a response may depend only on the customer's terms`,
    );
  const scope = names.filter(isDivision);
  const own = key.filter((column) => column !== 'SKU' && !isDivision(column));
  for (const { name: column, type } of columns)
    if (own.includes(column) && !ORDERED.has(type))
      throw new Error(`${path}: ${name}.${column} is in the key, and responses cannot be ordered by a ${type}`);
  return { name, scope, key: own };
}
