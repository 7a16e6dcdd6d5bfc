import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { FieldDeclaration } from '../../../resource/field.decorator.js';
import { IMPORT_TABLES, type ImportTable } from '../../import-tables.js';
import { ImportRefused, Problems } from '../../problems.js';
import { type FileSettings, readFileSettings } from './file-settings.js';
import { type MapNode, parseMapFile } from './map-node.js';
import { cellsOf, givesList, headersOf, type Rule } from './mapping-rule.js';
import { readRule } from './parse-rule.js';
import { whyUnreadable } from '../unreadable.js';

/** How the rows of our tables come out of a file of another system. */
export interface Mapping {
  readonly file: FileSettings;
  /** Further spellings under which a header may come. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** In the order of the import tables, one at least. A table may have several: its rows come from all of them. */
  readonly tables: readonly TableMapping[];
}

/** Makes at most one row, or one list of rows, for each row of the file. */
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

export interface ColumnMapping {
  readonly column: FieldDeclaration;
  readonly rule: Rule;
}

/** Headers, each with the texts that its cell may hold, without spaces around them. */
export type Conditions = readonly (readonly [header: string, texts: ReadonlySet<string>])[];

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
 * @param name what problems call the file
 * @throws {ImportRefused} naming everything that is wrong with it
 */
export function parseMapping(text: string, name: string): Mapping {
  const problems = new Problems();
  const root = parseMapFile(text, name, problems);
  const entries = root.fields(['file', 'headers', 'only', 'skip', ...IMPORT_TABLES.map((table) => table.name)]);
  const file = readFileSettings(entries.get('file'));
  const all = { only: readConditions(entries.get('only')), skip: readConditions(entries.get('skip')) };
  const tables = IMPORT_TABLES.filter((table) => entries.has(table.name)).flatMap((table) =>
    readTable(entries.get(table.name)!, table, all),
  );
  const used = new Set(tables.flatMap((table) => [...usesOfHeaders(table).keys()]));
  if (problems.none && !used.size) root.report('the map takes nothing out of the file; name a table and its columns');
  const headers = readSpellings(entries.get('headers'), used);
  problems.assertNone();
  return { file, headers, tables };
}

/** The headers that a table's rows are made of, each with what it is used for, such as `products.SKU`. */
export function usesOfHeaders({ table, columns, only, skip }: TableMapping): Map<string, string[]> {
  const uses = new Map<string, string[]>();
  const note = (header: string, use: string) =>
    uses.set(header, [...new Set([...(uses.get(header) ?? []), `${table.name}.${use}`])]);
  for (const { column, rule } of columns) for (const header of headersOf(rule)) note(header, column.name);
  for (const [header] of only) note(header, 'only');
  for (const [header] of skip) note(header, 'skip');
  return uses;
}

/** Whether the columns are constants, so that there is one row for the whole file. */
export function makesOneRow(columns: readonly ColumnMapping[]): boolean {
  return columns.every(({ rule }) => !headersOf(rule).length);
}

type ForAll = Pick<TableMapping, 'only' | 'skip'>;

/** One block, or a list of blocks of which each makes rows. */
function readTable(node: MapNode, table: ImportTable, all: ForAll): TableMapping[] {
  if (!node.isList) return [readBlock(node, table, all)];
  const blocks = node.items().map((item, index) => readBlock(item.as(`${node.path}[${index + 1}]`), table, all));
  const names = blocks.map(({ columns }) => columns.map(({ column }) => column.name).join(', '));
  const odd = names.findIndex((some) => some !== names[0]);
  if (odd > 0)
    node.report(`block 1 gives ${names[0]}, and block ${odd + 1} gives ${names[odd]}: give the same columns in each`);
  return blocks;
}

function readBlock(node: MapNode, table: ImportTable, all: ForAll): TableMapping {
  const keys = node.fields(['columns', 'only', 'skip', 'distinct']);
  const columns = readColumns(keys.get('columns')?.as(node.path), node, table);
  const isOneRow = makesOneRow(columns);
  if (isOneRow)
    for (const key of ['only', 'skip', 'distinct'] as const)
      keys.get(key)?.report('does nothing: all columns are constants, which makes one row for the whole file');
  checkLists(node, columns, table);
  return {
    table,
    columns,
    only: isOneRow ? [] : [...all.only, ...readConditions(keys.get('only'))],
    skip: isOneRow ? [] : [...all.skip, ...readConditions(keys.get('skip'))],
    distinct: keys.get('distinct')?.flag() ?? false,
  };
}

function readColumns(node: MapNode | undefined, tableNode: MapNode, { columns }: ImportTable): ColumnMapping[] {
  const rules = node?.fields(columns.map(({ name }) => name)) ?? new Map<string, MapNode>();
  const missing = columns.filter(({ name, primary, nullable }) => (primary || nullable === false) && !rules.has(name));
  if (missing.length)
    tableNode.report(`columns has to give ${missing.map(({ name }) => name).join(', ')}, which may not be empty`);
  return columns.flatMap((column) => {
    const ruleNode = rules.get(column.name);
    if (!ruleNode) return [];
    const rule = readRule(ruleNode, column);
    checkRequired(ruleNode, rule);
    return [{ column, rule }];
  });
}

/** `required` beside `optional` is for a list, of which the file has to have one header. */
function checkRequired(node: MapNode, rule: Rule): void {
  if (rule.kind !== 'first' && cellsOf(rule).some(({ optional, required }) => optional && required))
    node.report('optional and required exclude each other, except in a list: there the file has one of the headers');
}

/** Rows of one list that all had the same key would be of no use. */
function checkLists(node: MapNode, columns: readonly ColumnMapping[], { key }: ImportTable): void {
  const lists = columns.filter(({ rule }) => givesList(rule));
  if (!lists.length || lists.some(({ column }) => column.primary)) return;
  node.report(
    `${lists.map(({ column }) => column.name).join(', ')} is split into rows, and these have no key of their own: ` +
      `split ${key.join(' or ')}, too, or give item, key or number`,
  );
}

function readConditions(node: MapNode | undefined): Conditions {
  return node ? [...node.entries()].map(([header, texts]) => [header, texts.conditions()] as const) : [];
}

/** A spelling of a header that the map does not use does no harm: a block of the map may have been taken out. */
function readSpellings(node: MapNode | undefined, used: ReadonlySet<string>): Mapping['headers'] {
  const spellings = new Map<string, readonly string[]>();
  for (const [header, texts] of node?.entries() ?? []) {
    const others = texts.texts();
    for (const other of others) if (used.has(other)) texts.report(`${other} is a header of the map itself`);
    spellings.set(header, others);
  }
  return spellings;
}
