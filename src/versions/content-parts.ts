/** A kind of content that changes by itself. */
interface PartDeclaration {
  /** The table that has at most one row for each SKU, or for each SKU and value of the division. */
  readonly rows: string;
  /** How the part is divided. Without it, all customers see the same. */
  readonly division?: Division;
}

interface Division {
  /** The column whose values divide the part. Tables of the part and `customers` have it: a customer sees one value. */
  readonly column: 'PriceListCode' | 'WarehouseCode';
  /** The table that has a row for each value. */
  readonly table: string;
}

/**
 * The content parts. Each has a version, or one for each value that divides it. An `ETag` names the versions of the parts
 * that its response shows. Each import table names the part that its rows belong to (`import/import-tables.ts`).
 */
const CONTENT_PARTS = {
  products: { rows: 'products' },
  prices: { rows: 'prices', division: { column: 'PriceListCode', table: 'price_lists' } },
  stock: { rows: 'stock', division: { column: 'WarehouseCode', table: 'warehouses' } },
} as const satisfies Readonly<Record<string, PartDeclaration>>;

export type PartName = keyof typeof CONTENT_PARTS;

/** All parts, in the order in which an `ETag` names their versions. */
export const PART_NAMES = Object.keys(CONTENT_PARTS) as readonly PartName[];

/** How a part is declared. */
export function declarationOf(part: PartName): PartDeclaration {
  return CONTENT_PARTS[part];
}

/** The column that divides the part; undefined: none. */
export function divisionOf(part: PartName): Division['column'] | undefined {
  return declarationOf(part).division?.column;
}
