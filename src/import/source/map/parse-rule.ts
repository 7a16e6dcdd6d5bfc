import type { Field } from '../../../resource/field.decorator.js';
import { CellError, isNumber, isText, parseCell } from '../../cell.js';
import type { MapNode } from './map-node.js';
import { type CellRule, givesList, type ListRule, type Rule } from './mapping-rule.js';

const KEYS = [
  ...(['constant', 'join', 'of', 'from', 'row', 'split', 'quotes', 'escape', 'item', 'key', 'number'] as const),
  ...(['replace', 'values', 'otherwise', 'keep', 'times', 'prepend'] as const),
] as const;
type Key = (typeof KEYS)[number];
type Keys = ReadonlyMap<Key, MapNode>;

/** What each of these keys is of no use without. */
const NEEDS: Partial<Record<Key, Key>> = {
  quotes: 'split',
  escape: 'split',
  item: 'split',
  key: 'split',
  number: 'split',
  otherwise: 'values',
  keep: 'values',
};
const ONE_OF: readonly (readonly Key[])[] = [
  ['item', 'key', 'number'],
  ['otherwise', 'keep'],
  ['quotes', 'escape'],
];

/**
 * Reads the rule for a column of ours.
 * @param column undefined: the value is only a part of a column's, or used to find a row
 */
export function readRule(node: MapNode, column?: Field): Rule {
  if (node.isList) return readFirst(node, column);
  if (!node.isMap) return { kind: 'cell', from: [node.name()], replace: [], keep: false, prepend: '' };
  const keys = node.fields(KEYS);
  if (keys.has('constant')) return readConstant(keys, column);
  if (keys.has('join') || keys.has('of')) return readJoin(node, keys, column);
  return readCell(node, keys, column);
}

function readFirst(node: MapNode, column?: Field): Rule {
  const rules = node.items().map((item) => readRule(item, column));
  if (rules.some(givesList) && !rules.every(givesList))
    node.complain('either all of these rules split a cell into rows, or none does');
  return { kind: 'first', rules };
}

function readConstant(keys: Keys, column?: Field): Rule {
  refuseOthers(keys, ['constant']);
  const node = keys.get('constant')!;
  const text = node.text();
  checkValue(node, text, column);
  return { kind: 'constant', text };
}

function readJoin(node: MapNode, keys: Keys, column?: Field): Rule {
  refuseOthers(keys, ['join', 'of']);
  const parts = keys.get('of');
  if (!keys.has('join') || !parts) node.complain('join and of need each other');
  if (column && !isText(column)) node.complain(`${column.name} is no text to join`);
  const rules = parts?.items().map((item) => readRule(item)) ?? [];
  if (rules.some(givesList)) node.complain('a part of join cannot be split into rows; give it item, key or number');
  return { kind: 'join', between: keys.get('join')?.text() ?? '', rules };
}

function readCell(node: MapNode, keys: Keys, column?: Field): Rule {
  for (const [key, value] of keys) {
    const needed = NEEDS[key];
    if (needed && !keys.has(needed)) value.complain(`needs ${needed} beside it`);
  }
  for (const group of ONE_OF) {
    const [first, second] = group.filter((key) => keys.has(key));
    if (second) keys.get(second)!.complain(`cannot be used together with ${first}`);
  }
  const from = keys.get('from');
  if (!from) node.complain('needs from (a header), constant or join');
  if (from?.isList && !keys.has('split')) from.complain('several headers need split: their lists are put together');
  if (from?.isList && keys.has('key')) from.complain('key looks into one cell, so from has to be one header');
  return {
    kind: 'cell',
    from: from ? readHeaders(from) : [],
    row: readRow(keys.get('row')),
    list: readList(keys),
    ...readTexts(keys, column),
  };
}

function readHeaders(node: MapNode): string[] {
  return node.isList ? node.items().map((item) => item.name()) : [node.name()];
}

function readRow(node: MapNode | undefined): CellRule['row'] {
  if (!node) return undefined;
  const entries = [...node.entries()];
  if (entries.length !== 1) node.complain('has to hold one header, and what its cell has to be');
  const [[key, value] = []] = entries;
  if (!value) return undefined;
  const is = readRule(value);
  if (givesList(is)) value.complain('cannot be a list; give it item, key or number');
  return { key: key!, is };
}

function readList(keys: Keys): ListRule | undefined {
  const split = keys.get('split')?.name();
  if (split === undefined) return undefined;
  return { split, escape: keys.get('escape')?.name() ?? '', quotes: isSet(keys, 'quotes'), take: readTake(keys) };
}

function readTake(keys: Keys): ListRule['take'] {
  const item = keys.get('item');
  if (item) return { item: readItem(item) };
  const key = keys.get('key');
  if (key) return { key: key.name() };
  return isSet(keys, 'number') ? 'number' : 'each';
}

function readItem(node: MapNode): number | 'last' {
  const text = node.text();
  if (text === 'last') return text;
  if (!/^[1-9]\d{0,3}$/.test(text)) node.complain('has to be the place of an element, from 1, or last');
  return Number(text);
}

function readTexts(
  keys: Keys,
  column?: Field,
): Pick<CellRule, 'replace' | 'values' | 'otherwise' | 'keep' | 'times' | 'prepend'> {
  const times = keys.get('times');
  const prepend = keys.get('prepend')?.name() ?? '';
  // What is changed further is not yet the value of the column.
  const checked = times || prepend ? undefined : column;
  return {
    replace: [...(keys.get('replace')?.entries() ?? [])].map(([text, by]) => readReplacement(text, by)),
    values: readValues(keys.get('values'), checked),
    otherwise: keys.has('otherwise') ? readValue(keys.get('otherwise')!, checked) : undefined,
    keep: isSet(keys, 'keep'),
    times: times && readFactor(times, column),
    prepend,
  };
}

function readReplacement(text: string, by: MapNode): [string, string] {
  if (text === '') by.complain('the text to replace may not be empty');
  return [text, by.text()];
}

function readValues(node: MapNode | undefined, column?: Field): CellRule['values'] {
  return node && new Map([...node.entries()].map(([text, value]) => [text.trim(), readValue(value, column)]));
}

function readValue(node: MapNode, column?: Field): string {
  const text = node.text();
  if (text !== '') checkValue(node, text, column);
  return text;
}

function readFactor(node: MapNode, column?: Field): string {
  const text = node.text();
  if (!column || !isNumber(column)) node.complain('is for columns that hold a number');
  if (!/^\d{1,15}(\.\d{1,15})?$/.test(text) || !/[1-9]/.test(text))
    node.complain('has to be a number above 0, with a point where it has decimals');
  return text;
}

function checkValue(node: MapNode, text: string, column: Field | undefined): void {
  try {
    if (column) parseCell(text, column);
  } catch (error) {
    if (!(error instanceof CellError)) throw error;
    node.complain(error.message);
  }
}

function refuseOthers(keys: Keys, allowed: readonly Key[]): void {
  for (const [key, node] of keys)
    if (!allowed.includes(key)) node.complain(`does nothing beside ${allowed.join(' and ')}`);
}

function isSet(keys: Keys, key: Key): boolean {
  return keys.get(key)?.flag() ?? false;
}
