/** How a part of the content is divided. */
interface Division {
  /** The column whose values divide it. Tables of the part have it, and so has `customers`: each customer sees one value. */
  readonly column: 'PriceListCode' | 'WarehouseCode';
  /** The table that has a row for each value. */
  readonly table: string;
}

/**
 * The parts of the content. Each has a version, or one for each value that divides it, and an `ETag` names the versions
 * of the parts that its response shows. `null`: all customers see the same. Each import table names the part that its
 * rows belong to (`import/import-tables.ts`).
 */
export const CONTENT_PARTS = {
  products: null,
  prices: { column: 'PriceListCode', table: 'price_lists' },
  stock: { column: 'WarehouseCode', table: 'warehouses' },
} as const satisfies Readonly<Record<string, Division | null>>;

export type PartName = keyof typeof CONTENT_PARTS;

/** All parts, in the order in which an `ETag` names their versions. */
export const PART_NAMES = Object.keys(CONTENT_PARTS) as readonly PartName[];

/** The column that divides the part; undefined: none. */
export function divisionOf(part: PartName): Division['column'] | undefined {
  return CONTENT_PARTS[part]?.column;
}
