import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Field } from '../../../resource/field.decorator.js';
import { IMPORT_TABLES, type ImportTable } from '../../import-tables.js';
import { ImportRefused, Problems } from '../../problems.js';
import { didYouMean } from '../did-you-mean.js';
import { type MapNode, parseMapFile } from './map-node.js';
import { givesList, headersOf, type Rule } from './mapping-rule.js';
import { readRule } from './parse-rule.js';
import { whyUnreadable } from '../unreadable.js';

/** How the rows of our tables come out of a file of another system. */
export interface Mapping {
  /** Further spellings under which a header may come. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** In the order of the import tables, one at least. */
  readonly tables: readonly TableMapping[];
}

export interface TableMapping {
  readonly table: ImportTable;
  /** In the order of the table's columns: all of the key, and all that may not be empty. */
  readonly columns: readonly ColumnMapping[];
  /** Rows are used where each of these cells holds one of the texts. */
  readonly only: Conditions;
  /** Rows are passed over where one of these cells holds one of the texts. */
  readonly skip: Conditions;
  /** Rows that are the same in all columns count once. */
  readonly distinct: boolean;
}

interface ColumnMapping {
  readonly column: Field;
  readonly rule: Rule;
}

/** Headers, each with the texts that its cell may hold, without spaces around them. */
export type Conditions = ReadonlyMap<string, ReadonlySet<string>>;

const NO_CONDITIONS: Conditions = new Map();

/**
 * Reads a map file.
 * @throws {ImportRefused} naming everything that is wrong with it
 */
export async function readMapping(path: string): Promise<Mapping> {
  const bytes = await readFile(path).catch((error) => refuse(path, whyUnreadable(error)));
  const file = basename(path);
  if (!isUtf8(bytes)) refuse(file, 'the map is not valid UTF-8; save it with the encoding UTF-8');
  return parseMapping(bytes.toString(), file);
}

function refuse(file: string, message: string): never {
  throw new ImportRefused([{ file, line: 0, column: '', message }], 1);
}

/**
 * @param name what complaints call the file
 * @throws {ImportRefused} naming everything that is wrong with it
 */
export function parseMapping(text: string, name: string): Mapping {
  const problems = new Problems();
  const root = parseMapFile(text, name, problems);
  const entries = root.fields(['headers', ...IMPORT_TABLES.map((table) => table.name)]);
  const tables = IMPORT_TABLES.filter((table) => entries.has(table.name)).map((table) =>
    readTable(entries.get(table.name)!, table),
  );
  const used = new Set(tables.flatMap((table) => [...usesOfHeaders(table).keys()]));
  if (problems.none && !used.size) root.complain('the map takes nothing out of the file; name a table and its columns');
  const headers = readSpellings(entries.get('headers'), used);
  problems.assertNone();
  return { headers, tables };
}

/** The headers that a table's rows are made of, each with what it is used for, such as `products.SKU`. */
export function usesOfHeaders({ table, columns, only, skip }: TableMapping): Map<string, string[]> {
  const uses = new Map<string, string[]>();
  const note = (header: string, use: string) =>
    uses.set(header, [...new Set([...(uses.get(header) ?? []), `${table.name}.${use}`])]);
  for (const { column, rule } of columns) for (const header of headersOf(rule)) note(header, column.name);
  for (const header of only.keys()) note(header, 'only');
  for (const header of skip.keys()) note(header, 'skip');
  return uses;
}

function readTable(node: MapNode, table: ImportTable): TableMapping {
  const keys = node.fields(['columns', 'only', 'skip', 'distinct']);
  const columns = readColumns(keys.get('columns')?.as(node.path), node, table);
  if (columns.every(({ rule }) => !headersOf(rule).length))
    for (const key of ['only', 'skip', 'distinct'] as const)
      keys.get(key)?.complain('does nothing: all columns are constants, which makes one row for the whole file');
  checkLists(node, columns, table);
  return {
    table,
    columns,
    only: readConditions(keys.get('only')),
    skip: readConditions(keys.get('skip')),
    distinct: keys.get('distinct')?.flag() ?? false,
  };
}

function readColumns(node: MapNode | undefined, tableNode: MapNode, { columns }: ImportTable): ColumnMapping[] {
  const rules = node?.fields(columns.map(({ name }) => name)) ?? new Map<string, MapNode>();
  const missing = columns.filter(({ name, primary, nullable }) => (primary || nullable === false) && !rules.has(name));
  if (missing.length)
    tableNode.complain(`columns has to give ${missing.map(({ name }) => name).join(', ')}, which may not be empty`);
  return columns.flatMap((column) => {
    const rule = rules.get(column.name);
    return rule ? [{ column, rule: readRule(rule, column) }] : [];
  });
}

/** Rows of one list that all had the same key would be of no use. */
function checkLists(node: MapNode, columns: readonly ColumnMapping[], { key }: ImportTable): void {
  const lists = columns.filter(({ rule }) => givesList(rule));
  if (!lists.length || lists.some(({ column }) => column.primary)) return;
  node.complain(
    `${lists.map(({ column }) => column.name).join(', ')} is split into rows, and these have no key of their own: ` +
      `split ${key.join(' or ')}, too, or give item, key or number`,
  );
}

function readConditions(node: MapNode | undefined): Conditions {
  if (!node) return NO_CONDITIONS;
  return new Map(
    [...node.entries()].map(([header, texts]) => [header, new Set(texts.texts().map((text) => text.trim()))]),
  );
}

function readSpellings(node: MapNode | undefined, used: ReadonlySet<string>): Mapping['headers'] {
  const spellings = new Map<string, readonly string[]>();
  for (const [header, texts] of node?.entries() ?? []) {
    if (!used.has(header)) texts.complain(`no table of the map uses this header${didYouMean(header, [...used])}`);
    const others = texts.texts();
    for (const other of others) if (used.has(other)) texts.complain(`${other} is a header of the map itself`);
    spellings.set(header, others);
  }
  return spellings;
}
