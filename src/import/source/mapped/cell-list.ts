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
 * before it: that had a separator in it. A value between double quotes loses them, and may hold separators.
 * @throws {CellError} if a quote never closes, and the list says that quotes quote
 */
export function valueOfKey(cell: string, key: string, list: ListRule): string {
  let value: string | undefined;
  for (const element of list.quotes ? rawElements(cell, list) : enclosedElements(cell, list)) {
    const end = element.indexOf(PAIR);
    if (end < 0 && value !== undefined) value += list.split + element;
    if (end < 0) continue;
    if (value !== undefined) break;
    if (element.slice(0, end).trim() === key) value = element.slice(end + 1);
  }
  return unquoted(value?.trim() ?? '');
}

const ENCLOSED = /^"((?:[^"]|"")*)"$/s;

function unquoted(value: string): string {
  const [, text] = ENCLOSED.exec(value) ?? [];
  return text === undefined ? value : text.replaceAll('""', '"').trim();
}

/** Puts the parts of a value between quotes together that were split within it. A quote that never closes is a text. */
function enclosedElements(cell: string, list: ListRule): string[] {
  const parts = rawElements(cell, list);
  const elements: string[] = [];
  for (let at = 0; at < parts.length; at++) {
    let element = parts[at]!;
    if (/^[^=]*=\s*"/.test(element)) {
      const end = parts.findIndex((_, last) => last >= at && isEnclosed(parts.slice(at, last + 1).join(list.split)));
      if (end >= 0) element = parts.slice(at, end + 1).join(list.split);
      at = Math.max(at, end);
    }
    elements.push(element);
  }
  return elements;
}

function isEnclosed(element: string): boolean {
  return ENCLOSED.test(element.slice(element.indexOf(PAIR) + 1).trim());
}

/**
 * The path with the most parts, the first of several, such as `Men/Tops` of `Men,Men/Tops`.
 * @param withRoot false: without its first part; of a root alone nothing is left
 */
export function deepestPath(paths: readonly string[], separator: string, escape: string, withRoot: boolean): string {
  const all = paths.map((path) => pathParts(path, separator, escape));
  const size = Math.max(0, ...all.map(({ length }) => length));
  const deepest = all.find(({ length }) => length === size) ?? [];
  return (withRoot ? deepest : deepest.slice(1)).join(separator);
}

function pathParts(path: string, separator: string, escape: string): string[] {
  const parts = escape ? splitEscaped(path, separator, escape) : path.split(separator);
  return path.trim() === '' ? [] : parts;
}

function rawElements(cell: string, list: ListRule): string[] {
  if (cell.trim() === '') return [];
  if (list.quotes) return splitQuoted(cell, list.split);
  return list.escape ? splitEscaped(cell, list.split, list.escape) : cell.split(list.split);
}

function splitEscaped(cell: string, split: string, escape: string): string[] {
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
