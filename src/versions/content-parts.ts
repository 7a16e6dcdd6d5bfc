/** The declaration of a content part: content that changes independently of the other parts. */
interface PartDeclaration {
  /** The table that has at most one row for each SKU, or for each SKU and value of the division. */
  readonly rows: string;
  /** How the part is divided. Without a division, all customers see the same content. */
  readonly division?: Division;
}

interface Division {
  /** The column whose values divide the part. Tables of the part and `customers` have it: a customer sees one value. */
  readonly column: 'PriceListCode' | 'WarehouseCode';
  /** The table that has a row for each value. */
  readonly table: string;
}

/**
 * The content parts. Each has one version, or one for each value that divides it. An `ETag` includes the versions of the
 * parts that its response depends on. Each import table names the part that its rows belong to (`import/import-tables.ts`).
 */
const CONTENT_PARTS = {
  products: { rows: 'products' },
  prices: { rows: 'prices', division: { column: 'PriceListCode', table: 'price_lists' } },
  stock: { rows: 'stock', division: { column: 'WarehouseCode', table: 'warehouses' } },
} as const satisfies Readonly<Record<string, PartDeclaration>>;

export type PartName = keyof typeof CONTENT_PARTS;

/** All parts, in the order of their versions in an `ETag`. */
export const PART_NAMES = Object.keys(CONTENT_PARTS) as readonly PartName[];

/** Returns the declaration of a part. */
export function declarationOf(part: PartName): PartDeclaration {
  return CONTENT_PARTS[part];
}

/** Returns the column that divides the part. Undefined if all customers see the same content. */
export function divisionOf(part: PartName): Division['column'] | undefined {
  return declarationOf(part).division?.column;
}
