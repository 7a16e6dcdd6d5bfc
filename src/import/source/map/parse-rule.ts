import type { FieldDeclaration } from '../../../resource/field.decorator.js';
import { CellError, isNumber, isText, parseCell } from '../../cell.js';
import { isDateFormat } from '../mapped/date-text.js';
import { comparable, type MapNode } from './map-node.js';
import { type CellRule, givesList, type ListRule, type NumberFormat, type RowRule, type Rule } from './mapping-rule.js';

const KEYS = [
  ...(['constant', 'join', 'of', 'from', 'optional', 'required', 'row', 'above'] as const),
  ...(['split', 'quotes', 'escape', 'item', 'deepest', 'root', 'key', 'number'] as const),
  ...(['decode', 'replace', 'values', 'otherwise', 'keep', 'decimal', 'thousands', 'date'] as const),
  ...(['times', 'prepend', 'shorten'] as const),
] as const;
type Key = (typeof KEYS)[number];
type Keys = ReadonlyMap<Key, MapNode>;

/** Keys that have no effect without another key. */
const NEEDS: Partial<Record<Key, Key>> = {
  quotes: 'split',
  escape: 'split',
  item: 'split',
  deepest: 'split',
  root: 'deepest',
  key: 'split',
  number: 'split',
  otherwise: 'values',
  keep: 'values',
};
/** Groups of keys that exclude each other. */
const EXCLUSIVE: readonly (readonly Key[])[] = [
  ['item', 'deepest', 'key', 'number'],
  ['otherwise', 'keep'],
  ['quotes', 'escape'],
  ['row', 'above'],
];

/** In characters: 5 of the text, a dash, and a hash of 10 characters. */
const MIN_SHORTENED = 16;
const THOUSANDS = ['.', ',', "'", '’', ' ', '_'];

/** The defaults of a rule that consists of a header alone. */
const PLAIN = {
  kind: 'cell',
  optional: false,
  required: false,
  rows: ['this'],
  decode: false,
  replace: [],
  keep: false,
  number: {},
  dates: [],
  prepend: '',
} as const;

/**
 * Reads the rule for a column of a table.
 * @param column undefined if the value is only a part of a column's value, or finds a row
 */
export function readRule(node: MapNode, column?: FieldDeclaration): Rule {
  if (node.isList) return readFirst(node, column);
  if (!node.isMap) return { ...PLAIN, from: [node.name()] };
  const keys = node.fields(KEYS);
  if (keys.has('constant')) return readConstant(keys, column);
  if (keys.has('join') || keys.has('of')) return readJoin(node, keys, column);
  return readCell(node, keys, column);
}

function readFirst(node: MapNode, column?: FieldDeclaration): Rule {
  const rules = node.items().map((item) => readRule(item, column));
  if (rules.some(givesList) && !rules.every(givesList))
    node.report('either all of these rules must split a cell into rows, or none of them');
  return { kind: 'first', rules };
}

function readConstant(keys: Keys, column?: FieldDeclaration): Rule {
  refuseOthers(keys, ['constant']);
  const node = keys.get('constant')!;
  const text = node.text();
  checkValue(node, text, column);
  return { kind: 'constant', text };
}

function readJoin(node: MapNode, keys: Keys, column?: FieldDeclaration): Rule {
  refuseOthers(keys, ['join', 'of', 'shorten']);
  const parts = keys.get('of');
  if (!keys.has('join') || !parts) node.report('join and of must be used together');
  if (column && !isText(column) && column.type !== 'date') node.report('join is for columns that hold text or a date');
  const rules = parts?.items().map((item) => readRule(item)) ?? [];
  if (rules.some(givesList)) node.report('a part of join cannot be split into rows; add item, deepest or key to it');
  return { kind: 'join', between: keys.get('join')?.text() ?? '', rules, shorten: readShorten(keys, column) };
}

function readCell(node: MapNode, keys: Keys, column?: FieldDeclaration): Rule {
  for (const [key, value] of keys) {
    const needed = NEEDS[key];
    if (needed && !keys.has(needed)) value.report(`needs ${needed} in the same rule`);
  }
  for (const group of EXCLUSIVE) {
    const [first, second] = group.filter((key) => keys.has(key));
    if (second) keys.get(second)!.report(`cannot be used together with ${first}`);
  }
  const from = keys.get('from');
  if (!from) node.report('needs from (a header), constant or join');
  if (from?.isList && !keys.has('split')) from.report('several headers need split, which combines their lists');
  if (from?.isList && keys.has('key')) from.report('key reads one cell, so from must be one header');
  const list = readList(keys);
  if (typeof list?.take === 'string') keys.get('required')?.report('has no effect on a list of rows');
  return {
    kind: 'cell',
    from: from ? readHeaders(from) : [],
    optional: isSet(keys, 'optional'),
    required: readRequired(keys),
    rows: readRows(keys),
    list,
    ...readTexts(keys, column),
  };
}

function readRequired(keys: Keys): CellRule['required'] {
  const node = keys.get('required');
  const required = node?.flagOr('found') ?? false;
  if (required === 'found' && !keys.has('row') && !keys.has('above'))
    node!.report('found needs row or above in the same rule');
  return required;
}

function readHeaders(node: MapNode): string[] {
  return node.isList ? node.items().map((item) => item.name()) : [node.name()];
}

function readRows(keys: Keys): RowRule[] {
  const above = keys.get('above');
  if (above) return [readAbove(above)];
  const row = keys.get('row');
  if (!row) return ['this'];
  return row.isList ? row.items().map(readRow) : [readRow(row)];
}

function readRow(node: MapNode): RowRule {
  if (!node.isMap && node.text() === 'this') return 'this';
  const entries = [...node.entries()];
  if (!entries.length) node.report('must be this, or headers with the values of their cells');
  return {
    key: entries.map(([header, value]) => {
      const is = readRule(value);
      if (givesList(is)) value.report('cannot be a list; add item, deepest or key');
      return [header, is] as const;
    }),
  };
}

function readAbove(node: MapNode): RowRule {
  if (!node.isMap) return { above: [[node.name()]] };
  return { above: [...node.entries()].map(([header, texts]) => [header, texts.conditions()] as const) };
}

function readList(keys: Keys): ListRule | undefined {
  const split = keys.get('split')?.name();
  if (split === undefined) return undefined;
  return { split, escape: keys.get('escape')?.name() ?? '', quotes: isSet(keys, 'quotes'), take: readTake(keys) };
}

function readTake(keys: Keys): ListRule['take'] {
  const item = keys.get('item');
  if (item) return { item: readItem(item) };
  const deepest = keys.get('deepest');
  if (deepest) return { deepest: deepest.name(), withRoot: keys.get('root')?.flag() ?? true };
  const key = keys.get('key');
  if (key) return { key: key.name() };
  return isSet(keys, 'number') ? 'number' : 'each';
}

function readItem(node: MapNode): number | 'last' {
  const text = node.text();
  if (text === 'last') return text;
  if (!/^[1-9]\d{0,3}$/.test(text)) node.report('must be the position of an element, from 1, or last');
  return Number(text);
}

type Texts = Omit<CellRule, 'kind' | 'from' | 'optional' | 'required' | 'rows' | 'list'>;

function readTexts(keys: Keys, column?: FieldDeclaration): Texts {
  const times = keys.get('times');
  const prepend = keys.get('prepend')?.name() ?? '';
  // A text that later steps change is not yet the value of the column.
  const checked = times || prepend || keys.has('shorten') ? undefined : column;
  return {
    decode: readDecode(keys.get('decode')),
    replace: [...(keys.get('replace')?.entries() ?? [])].map(([text, by]) => readReplacement(text, by)),
    values: readValues(keys.get('values'), checked),
    otherwise: keys.has('otherwise') ? readValue(keys.get('otherwise')!, checked) : undefined,
    keep: isSet(keys, 'keep'),
    number: readNumberFormat(keys, column),
    dates: readDates(keys.get('date'), column),
    times: times && readFactor(times, column),
    prepend,
    shorten: readShorten(keys, column),
  };
}

function readDecode(node: MapNode | undefined): boolean {
  if (node && node.text() !== 'html') node.report('must be html');
  return node !== undefined;
}

function readReplacement(text: string, by: MapNode): [string, string] {
  if (text === '') by.report('the text to replace must not be empty');
  return [text, by.text()];
}

function readValues(node: MapNode | undefined, column?: FieldDeclaration): CellRule['values'] {
  return node && new Map([...node.entries()].map(([text, value]) => [comparable(text), readValue(value, column)]));
}

function readValue(node: MapNode, column?: FieldDeclaration): string {
  const text = node.text();
  if (text !== '') checkValue(node, text, column);
  return text;
}

/**
 * @param keys with `decimal` and `thousands`
 * @param whole whether the format is that of the whole file, not of a column
 */
export function readNumberFormat(
  keys: ReadonlyMap<string, MapNode>,
  column?: FieldDeclaration,
  whole = false,
): Partial<NumberFormat> {
  const decimal = keys.get('decimal');
  const thousands = keys.get('thousands');
  if (!whole && !(column && isNumber(column)))
    for (const node of [decimal, thousands]) node?.report('is for columns that hold a number');
  const format: Partial<NumberFormat> = {};
  if (decimal) format.decimal = decimal.choice(['.', ',', 'either'] as const);
  if (thousands) format.thousands = thousands.choice(THOUSANDS);
  if (thousands && format.thousands === format.decimal) thousands.report('cannot be the same as decimal');
  return format;
}

function readDates(node: MapNode | undefined, column?: FieldDeclaration): string[] {
  if (!node) return [];
  if (column?.type !== 'date') node.report('is for columns that hold a date');
  const formats = node.texts();
  for (const format of formats)
    if (!isDateFormat(format)) node.report(`"${format}" must contain YYYY, MM and DD once each, such as DD.MM.YYYY`);
  return formats;
}

function readFactor(node: MapNode, column?: FieldDeclaration): Rule {
  if (!column || !isNumber(column)) node.report('is for columns that hold a number');
  if (!node.isMap && !node.isList) return { kind: 'constant', text: factor(node, node.text()) };
  const rule = readRule(node);
  if (givesList(rule)) node.report('cannot be a list; add item, deepest or key');
  if (rule.kind === 'cell') for (const text of rule.values?.values() ?? []) factor(node, text);
  return rule;
}

function factor(node: MapNode, text: string): string {
  if (!isFactor(text)) node.report('must be a number above 0, with a point before any decimals');
  return text;
}

/** Whether the text is a valid factor: above 0, with at most 15 digits before and after the point. */
export function isFactor(text: string): boolean {
  return /^\d{1,15}(\.\d{1,15})?$/.test(text) && /[1-9]/.test(text);
}

function readShorten(keys: Keys, column?: FieldDeclaration): number | undefined {
  const node = keys.get('shorten');
  if (!node) return undefined;
  if (column && !isText(column)) node.report('is for columns that hold text');
  const size = Number(node.text());
  if (!Number.isInteger(size) || size < MIN_SHORTENED || size > 2048)
    node.report(`must be a number of characters from ${MIN_SHORTENED} to 2048`);
  return size;
}

function checkValue(node: MapNode, text: string, column: FieldDeclaration | undefined): void {
  try {
    if (column) parseCell(text, column);
  } catch (error) {
    if (!(error instanceof CellError)) throw error;
    node.report(error.message);
  }
}

function refuseOthers(keys: Keys, allowed: readonly Key[]): void {
  for (const [key, node] of keys)
    if (!allowed.includes(key)) node.report(`has no effect together with ${allowed.slice(0, 2).join(' and ')}`);
}

function isSet(keys: Keys, key: Key): boolean {
  return keys.get(key)?.flag() ?? false;
}
