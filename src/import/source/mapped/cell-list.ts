import { CellError } from '../../cell.js';
import type { ListRule } from '../map/mapping-rule.js';

/** Separates the key and the value of an element. */
const KEY_END = '=';

/**
 * Limits the rows of a cell, because each element may become a row. No product has more images, accessories or prices.
 */
const MAX_ELEMENTS = 10_000;

/**
 * Splits a cell into the elements of its list, without spaces around them. An empty cell has none.
 * @throws {CellError} if a quote is not closed, or there are more than 10,000 elements
 */
export function splitList(cell: string, list: ListRule): string[] {
  const elements = rawElements(cell, list);
  if (elements.length > MAX_ELEMENTS)
    throw new CellError(`has ${elements.length} elements, ${MAX_ELEMENTS} is the maximum; check split in the map`);
  return elements.map((element) => element.trim());
}

/**
 * Returns the value of the first element `key=value`, or '' if there is none. An element without `=` continues the value
 * before it, which contained a separator. A value in double quotes may contain separators; it loses the quotes.
 * @throws {CellError} if a quote is not closed and the list has `quotes: true`
 */
export function valueOfKey(cell: string, key: string, list: ListRule): string {
  let value: string | undefined;
  for (const element of list.quotes ? rawElements(cell, list) : enclosedElements(cell, list)) {
    const end = element.indexOf(KEY_END);
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

/** Splits a cell, but keeps a quoted value in one element. An unclosed quote is an ordinary character. */
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
  return ENCLOSED.test(element.slice(element.indexOf(KEY_END) + 1).trim());
}

/**
 * Returns the path with the most parts, such as `Men/Tops` of `Men,Men/Tops`; of several such paths, the first one.
 * @param withRoot if false, the first part of the path is removed; a path of one part then becomes ''
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

/** Removes the quotes. A doubled quote within quotes becomes one. */
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
  if (quoted) throw new CellError('has a quote that is never closed');
  return elements;
}
