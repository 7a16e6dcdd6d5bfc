import { CellError } from '../../cell.js';
import type { ListRule } from '../map/mapping-rule.js';

/** Between the name and the value of an element. */
const PAIR = '=';

/** Each element may become a row; no product has as many images, accessories or prices. */
const MOST_ELEMENTS = 10_000;

/**
 * The elements of a cell that holds a list, without spaces around them; none for an empty cell.
 * @throws {CellError} if a quote never closes, or there are too many elements
 */
export function splitList(cell: string, list: ListRule): string[] {
  const elements = rawElements(cell, list);
  if (elements.length > MOST_ELEMENTS)
    throw new CellError(`has ${elements.length} elements, ${MOST_ELEMENTS} is the most; is split of the map right?`);
  return elements.map((element) => element.trim());
}

/**
 * The value of the first element `key=value`, '' where there is none. An element without `=` goes on with the value
 * before it: that had a separator in it.
 * @throws {CellError} if a quote never closes
 */
export function valueOfKey(cell: string, key: string, list: ListRule): string {
  let value: string | undefined;
  for (const element of rawElements(cell, list)) {
    const end = element.indexOf(PAIR);
    if (end < 0 && value !== undefined) value += list.split + element;
    if (end < 0) continue;
    if (value !== undefined) break;
    if (element.slice(0, end).trim() === key) value = element.slice(end + 1);
  }
  return value?.trim() ?? '';
}

function rawElements(cell: string, list: ListRule): string[] {
  if (cell.trim() === '') return [];
  if (list.quotes) return splitQuoted(cell, list.split);
  return list.escape ? splitEscaped(cell, list) : cell.split(list.split);
}

function splitEscaped(cell: string, { split, escape }: ListRule): string[] {
  const elements: string[] = [];
  for (const part of cell.split(split)) {
    const before = elements.at(-1);
    if (before?.endsWith(escape)) elements.push(elements.pop()!.slice(0, -escape.length) + split + part);
    else elements.push(part);
  }
  return elements;
}

/** Quotes are dropped, a doubled one between quotes is one. */
function splitQuoted(cell: string, split: string): string[] {
  const elements = [''];
  let quoted = false;
  const add = (text: string) => void elements.push(elements.pop()! + text);
  for (let at = 0; at < cell.length; at++) {
    if (quoted && cell.startsWith('""', at)) add(cell[++at]!);
    else if (cell[at] === '"') quoted = !quoted;
    else if (!quoted && cell.startsWith(split, at)) {
      elements.push('');
      at += split.length - 1;
    } else add(cell[at]!);
  }
  if (quoted) throw new CellError('has a quote that never closes');
  return elements;
}
