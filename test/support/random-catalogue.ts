import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { COLUMNS, type ImportFileName, importFiles } from './import-files.js';
import { SeededRandom } from './seeded-random.js';
import type { Rows } from './stored-rows.js';

// Computes the result of an import a second time, from rows in memory and without code of `src/`.

/**
 * The rows of each table by key: the cells of the import file in their shortest spelling, in the order of its columns.
 */
type Catalogue = Record<string, Map<string, readonly string[]>>;

/** An import and its expected result. */
export interface RandomImport {
  replace: boolean;
  files: Record<string, string>;
  /** The rows that are stored afterwards. */
  after: Catalogue;
  counts: ExpectedCounts[];
}

/** The counts that an import must report for a table. */
interface ExpectedCounts {
  table: string;
  file: string | null;
  rows: number;
  added: number;
  changed: number;
  unchanged: number;
  removed: number;
  absentColumns: string[];
}

interface Table {
  keys: number;
  /** The tables that the first columns reference. Removing a referenced row also removes these rows. */
  parents: readonly string[];
  /** Whether a file is complete only for the values of its first column. */
  scoped?: true;
  /** The positions of columns that a file may lack. */
  optional: readonly number[];
  rows(random: SeededRandom): string[][];
}

const codes = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);
const SKUS = codes('P', 12);
const LISTS = codes('L', 3);
const WAREHOUSES = codes('W', 3);
const pairs = (first: string[], second: string[]) => first.flatMap((one) => second.map((other) => [one, other]));

/** Every table in the order of dependency, with all its possible rows and random values in them. */
const TABLES: Record<string, Table> = {
  price_lists: {
    keys: 1,
    parents: [],
    optional: [1],
    rows: (random) => LISTS.map((code) => [code, random.of(['', 'x']), random.of(['EUR', 'USD'])]),
  },
  warehouses: {
    keys: 1,
    parents: [],
    optional: [1],
    rows: (random) => WAREHOUSES.map((code) => [code, random.of(['', 'x'])]),
  },
  products: {
    keys: 1,
    parents: [],
    optional: [1, 2],
    rows: (random) => SKUS.map((sku) => [sku, random.of(['', 'x', 'X', 'x ']), random.of(['', 'y'])]),
  },
  product_images: {
    keys: 2,
    parents: ['products'],
    optional: [2, 3],
    // Only the first image may be the primary one, so that there are never two.
    rows: (random) =>
      pairs(SKUS, ['1', '2']).map(([sku, id]) => [sku!, id!, 'x', id === '1' ? random.of(['', '0', '1']) : '0']),
  },
  product_accessories: { keys: 2, parents: ['products'], optional: [], rows: () => pairs(SKUS, ['P1', 'none']) },
  product_substitutions: { keys: 2, parents: ['products'], optional: [], rows: () => pairs(SKUS, ['P2']) },
  product_composition: {
    keys: 2,
    parents: ['products'],
    optional: [2, 3],
    rows: (random) => pairs(SKUS, ['PES']).map((key) => [...key, '', random.of(['', '0', '50.5'])]),
  },
  prices: {
    keys: 2,
    parents: ['price_lists', 'products'],
    scoped: true,
    optional: [3, 4],
    rows: (random) => pairs(LISTS, SKUS).map((key) => [...key, random.of(['1', '1.5']), random.of(['', '6']), '', '1']),
  },
  stock: {
    keys: 2,
    parents: ['warehouses', 'products'],
    scoped: true,
    optional: [3],
    rows: (random) =>
      pairs(WAREHOUSES, SKUS).map((key) => [...key, random.of(['0', '-2.25']), random.of(['', '2027-03-28'])]),
  },
  customers: {
    keys: 1,
    parents: [],
    optional: [1, 5, 6],
    rows: (random) =>
      codes('C', 4).map((code) => [
        code,
        random.of(['', 'x']),
        random.of(['', ...LISTS]),
        random.of(['', ...WAREHOUSES]),
        '0',
        '',
        random.of(['', '60']),
      ]),
  },
};

/** Columns of customers that reference rows of other tables. Removing such a row does not remove the customers. */
const TERMS = [
  [2, 'price_lists'],
  [3, 'warehouses'],
] as const;

/** Yields successive imports, the first into an empty database. The same seed yields the same imports. */
export function* randomImports(seed: number, count: number): Generator<RandomImport> {
  const random = new SeededRandom(seed);
  let stored: Catalogue = Object.fromEntries(Object.keys(TABLES).map((table) => [table, new Map()]));
  for (let step = 0; step < count; step++) {
    const replace = random.chance(0.5);
    const given = randomRows(random, stored, replace);
    const absent = randomAbsence(random, Object.keys(given));
    const rows = withoutAbsent(given, stored, absent);
    const after = catalogueAfter(stored, rows, replace);
    const files = lacking(respelled(random, rows), absent);
    yield { replace, files, after, counts: expectedCounts(stored, after, rows, absent) };
    stored = after;
  }
}

/** Returns rows of some tables that can be imported into the stored rows without a problem. */
function randomRows(random: SeededRandom, stored: Catalogue, replace: boolean): Catalogue {
  const files: Catalogue = {};
  const tables = Object.keys(TABLES).filter(() => random.chance(0.7));
  const known = (table: string, code: string) =>
    files[table]?.has(code) || (!(replace && files[table]) && stored[table]!.has(code));
  for (const table of tables) {
    const { rows, parents } = TABLES[table]!;
    const density = random.next();
    const chosen = rows(random)
      .filter((row) => random.chance(density) || isUsed(table, row[0]!))
      .filter((row) => parents.every((parent, column) => known(parent, row[column]!)));
    if (table === 'customers')
      for (const row of chosen) for (const [column, of] of TERMS) if (!known(of, row[column]!)) row[column] = '';
    files[table] = byKey(table, chosen);
  }
  return files;

  /** Whether a remaining customer references the row, so that it must not be removed. */
  function isUsed(table: string, code: string): boolean {
    const term = TERMS.find(([, of]) => of === table);
    if (!term || !replace || tables.includes('customers')) return false;
    return [...stored.customers!.values()].some((row) => row[term[0]] === code);
  }
}

/** The names of the columns that the file of each table lacks. */
type Absence = Record<string, string[]>;

function randomAbsence(random: SeededRandom, tables: readonly string[]): Absence {
  return Object.fromEntries(
    tables.map((table) => {
      const lacks = random.chance(0.5) ? 0.5 : 0;
      const positions = TABLES[table]!.optional.filter(() => random.chance(lacks));
      return [table, positions.map((position) => columnsOf(table)[position]!)];
    }),
  );
}

/** Returns the rows that an import makes of files without these columns: with the stored values, or empty ones. */
function withoutAbsent(files: Catalogue, stored: Catalogue, absent: Absence): Catalogue {
  return mapTables(files, (table, rows) => {
    const positions = new Set(absent[table]!.map((name) => columnsOf(table).indexOf(name)));
    const cellsOf = (key: string, row: readonly string[]) =>
      row.map((cell, at) => (positions.has(at) ? (stored[table]!.get(key)?.[at] ?? '') : cell));
    return new Map([...rows].map(([key, row]) => [key, cellsOf(key, row)]));
  });
}

/** Returns the files without these columns. */
function lacking(files: Record<string, string>, absent: Absence): Record<string, string> {
  return mapTables(files, (file, text) => {
    const names = absent[file.replace('.csv', '')]!;
    const [headers = [], ...rows] = parse(text) as string[][];
    const present = headers.flatMap((name, at) => (names.includes(name) ? [] : [at]));
    return stringify([headers, ...rows].map((row) => present.map((at) => row[at])));
  });
}

function mapTables<In, Out>(tables: Record<string, In>, map: (name: string, one: In) => Out): Record<string, Out> {
  return Object.fromEntries(Object.entries(tables).map(([name, one]) => [name, map(name, one)]));
}

const columnsOf = (table: string) => COLUMNS[`${table}.csv` as ImportFileName].split(',');

/** Returns the rows that are stored after an import of the files. */
function catalogueAfter(stored: Catalogue, files: Catalogue, replace: boolean): Catalogue {
  const after: Catalogue = {};
  for (const [table, { parents, scoped }] of Object.entries(TABLES)) {
    const file = files[table];
    const named = new Set([...(file?.values() ?? [])].map(([first]) => first));
    const kept = [...stored[table]!].filter(
      ([key, row]) =>
        !(replace && file && !file.has(key) && (!scoped || named.has(row[0]!))) &&
        parents.every((parent, column) => after[parent]!.has(row[column]!)),
    );
    after[table] = new Map([...kept, ...(file ?? [])]);
  }
  return after;
}

/** Returns the differences of two states for each table that has a file or loses rows. */
function expectedCounts(before: Catalogue, after: Catalogue, files: Catalogue, absent: Absence): ExpectedCounts[] {
  return Object.keys(TABLES).flatMap((table) => {
    const [old, now, file] = [before[table]!, after[table]!, files[table]];
    const removed = [...old.keys()].filter((key) => !now.has(key)).length;
    if (!file && !removed) return [];
    const added = [...now.keys()].filter((key) => !old.has(key)).length;
    const changed = [...now].filter(([key, row]) => old.has(key) && old.get(key)!.join('|') !== row.join('|')).length;
    const rows = file?.size ?? 0;
    return {
      table,
      file: file ? `${table}.csv` : null,
      rows,
      added,
      changed,
      unchanged: rows - added - changed,
      removed,
      absentColumns: absent[table] ?? [],
    };
  });
}

/** Returns the import files, with some values in another spelling. */
function respelled(random: SeededRandom, files: Catalogue): Record<string, string> {
  const respell = (cell: string, column: number) => {
    if (column === 0) return random.of([cell, ` ${cell} `]);
    return /^-?\d+\.\d$/.test(cell) ? random.of([cell, `${cell}0`, `${cell}00`]) : cell;
  };
  const named = Object.entries(files).map(([table, rows]) => [
    `${table}.csv`,
    [...rows.values()].map((row) => row.map(respell)),
  ]);
  return importFiles(Object.fromEntries(named));
}

/** Converts the rows of the database to the same form. */
export function catalogueOf(stored: Record<string, Rows>): Catalogue {
  return Object.fromEntries(
    Object.keys(TABLES).map((table) => {
      const width = TABLES[table]!.rows(new SeededRandom(0))[0]!.length;
      const cells = stored[table]!.map((row) =>
        columnsOf(table)
          .slice(0, width)
          .map((column) => shortest(row[column])),
      );
      return [table, byKey(table, cells)];
    }),
  );
}

function byKey(table: string, rows: readonly string[][]): Map<string, readonly string[]> {
  return new Map(rows.map((row) => [row.slice(0, TABLES[table]!.keys).join('|'), row]));
}

/** Returns a value in its shortest spelling, because the engines return decimals, dates and booleans differently. */
function shortest(value: unknown): string {
  if (value === null) return '';
  if (value instanceof Date) return value.toLocaleDateString('sv');
  return String(value)
    .replace(/^(-?\d+\.\d*?)0+$/, '$1')
    .replace(/\.$/, '');
}
