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

/** A column map: how to make rows of the tables from a file of another system. */
export interface Mapping {
  readonly file: FileSettings;
  /** Further spellings of headers that files may have. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** At least one, in the order of the import tables. A table may have several, and gets the rows of all of them. */
  readonly tables: readonly TableMapping[];
}

/** Makes at most one row, or one list of rows, for each row of the file. */
export interface TableMapping {
  readonly table: ImportTable;
  /** In the order of the table's columns, including all key columns and all that must not be empty. */
  readonly columns: readonly ColumnMapping[];
  /** A row is used only if each of these cells has one of the texts. */
  readonly only: Conditions;
  /** A row is skipped if one of these cells has one of the texts. */
  readonly skip: Conditions;
  /** Whether rows that are equal in all columns count once. */
  readonly distinct: boolean;
}

export interface ColumnMapping {
  readonly column: FieldDeclaration;
  readonly rule: Rule;
}

/** Headers, each with the texts that its cell may have, normalized by `comparable`. */
export type Conditions = readonly (readonly [header: string, texts: ReadonlySet<string>])[];

/**
 * Reads a map file.
 * @throws {ImportRefused} with all faults of the map
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
 * @param name of the file, for problems
 * @throws {ImportRefused} with all faults of the map
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
  if (problems.none && !used.size) root.report('the map uses no column of the file; name a table and its columns');
  const headers = readSpellings(entries.get('headers'), used);
  problems.assertNone();
  return { file, headers, tables };
}

/** Returns the headers that a table's rows need, each with its uses, such as `products.SKU`. */
export function usesOfHeaders({ table, columns, only, skip }: TableMapping): Map<string, string[]> {
  const uses = new Map<string, string[]>();
  const note = (header: string, use: string) =>
    uses.set(header, [...new Set([...(uses.get(header) ?? []), `${table.name}.${use}`])]);
  for (const { column, rule } of columns) for (const header of headersOf(rule)) note(header, column.name);
  for (const [header] of only) note(header, 'only');
  for (const [header] of skip) note(header, 'skip');
  return uses;
}

/** Whether all columns are constants, so that the whole file gives one row. */
export function makesOneRow(columns: readonly ColumnMapping[]): boolean {
  return columns.every(({ rule }) => !headersOf(rule).length);
}

type MapConditions = Pick<TableMapping, 'only' | 'skip'>;

/** Reads a block, or a list of blocks that all make rows. */
function readTable(node: MapNode, table: ImportTable, all: MapConditions): TableMapping[] {
  if (!node.isList) return [readBlock(node, table, all)];
  const blocks = node.items().map((item, index) => readBlock(item.as(`${node.path}[${index + 1}]`), table, all));
  const names = blocks.map(({ columns }) => columns.map(({ column }) => column.name).join(', '));
  const odd = names.findIndex((some) => some !== names[0]);
  if (odd > 0)
    node.report(
      `block 1 gives ${names[0]}, but block ${odd + 1} gives ${names[odd]}; give the same columns in all blocks`,
    );
  return blocks;
}

function readBlock(node: MapNode, table: ImportTable, all: MapConditions): TableMapping {
  const keys = node.fields(['columns', 'only', 'skip', 'distinct']);
  const columns = readColumns(keys.get('columns')?.as(node.path), node, table);
  const isOneRow = makesOneRow(columns);
  if (isOneRow)
    for (const key of ['only', 'skip', 'distinct'] as const)
      keys.get(key)?.report('has no effect: all columns are constants, which make one row for the whole file');
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
    tableNode.report(`columns must include ${missing.map(({ name }) => name).join(', ')}, which must not be empty`);
  return columns.flatMap((column) => {
    const ruleNode = rules.get(column.name);
    if (!ruleNode) return [];
    const rule = readRule(ruleNode, column);
    checkRequired(ruleNode, rule);
    return [{ column, rule }];
  });
}

/** Only a list may combine `required` and `optional`: the file must then have one of its headers. */
function checkRequired(node: MapNode, rule: Rule): void {
  if (rule.kind !== 'first' && cellsOf(rule).some(({ optional, required }) => optional && required))
    node.report(
      'optional and required exclude each other, except in a list, where the file must have one of the headers',
    );
}

/** Refuses a list whose rows would all have the same key. */
function checkLists(node: MapNode, columns: readonly ColumnMapping[], { key }: ImportTable): void {
  const lists = columns.filter(({ rule }) => givesList(rule));
  if (!lists.length || lists.some(({ column }) => column.primary)) return;
  node.report(
    `${lists.map(({ column }) => column.name).join(', ')} is split into rows that would all have the same key; ` +
      `also split ${key.join(' or ')}, or add item, deepest or key`,
  );
}

function readConditions(node: MapNode | undefined): Conditions {
  return node ? [...node.entries()].map(([header, texts]) => [header, texts.conditions()] as const) : [];
}

/** Spellings of unused headers are allowed, because an operator may have removed a block of the map. */
function readSpellings(node: MapNode | undefined, used: ReadonlySet<string>): Mapping['headers'] {
  const spellings = new Map<string, readonly string[]>();
  for (const [header, texts] of node?.entries() ?? []) {
    const others = texts.texts();
    for (const other of others) if (used.has(other)) texts.report(`${other} is already a header of the map`);
    spellings.set(header, others);
  }
  return spellings;
}
