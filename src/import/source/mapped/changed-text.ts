import { decodeHTMLStrict } from 'entities';
import type { FieldDeclaration } from '../../../resource/field.decorator.js';
import { CellError, isNumber } from '../../cell.js';
import { quoted } from '../../excerpt.js';
import { comparable } from '../map/map-node.js';
import type { CellRule, NumberFormat } from '../map/mapping-rule.js';
import { isFactor } from '../map/parse-rule.js';
import { TextLength } from './bounded-text.js';
import { dateReader } from './date-text.js';
import { numberReader } from './number-text.js';
import { scaledDecimal } from './scaled-decimal.js';
import { shortened } from './shortened.js';

/**
 * Returns a function that changes the text of a cell into the value of a column. The steps are decode, replace, values,
 * number or date, times, prepend, shorten. An empty text stays empty, unless `values` lists it. The function throws a
 * CellError if the text is not a valid value.
 * @param format of numbers, unless the rule has its own
 * @param factorOf returns the factor of `times` for the cells of a row
 */
export function cellText(
  rule: CellRule,
  column: FieldDeclaration | undefined,
  format: NumberFormat,
  factorOf: (cells: readonly string[]) => string,
): (text: string, cells: readonly string[]) => string {
  const replaced = replacing(rule.replace);
  const read = reader(rule, column, format);
  const scale = column?.type === 'decimal' ? (column.scale ?? 0) : Infinity;
  return (cell, cells) => {
    const text = replaced(rule.decode ? decodeHTMLStrict(cell) : cell);
    const listed = rule.values?.get(comparable(text));
    const value = listed ?? (text.trim() === '' ? '' : unlisted(rule, text, read));
    if (value === '') return empty(rule, text);
    new TextLength(value.length).add(rule.prepend.length);
    const made = rule.prepend + (rule.times ? scaledDecimal(value, factor(factorOf(cells)), scale) : value);
    return rule.shorten === undefined ? made : shortened(made, rule.shorten);
  };
}

function reader(rule: CellRule, column: FieldDeclaration | undefined, format: NumberFormat): (text: string) => string {
  if (column?.type === 'date' && rule.dates.length) return dateReader(rule.dates);
  return column && isNumber(column) ? numberReader({ ...format, ...rule.number }) : unchanged;
}

function empty({ required }: CellRule, text: string): string {
  if (required === true) throw new CellError('is empty, but the map requires a value');
  return text.trim() === '' ? text : '';
}

function factor(text: string): string {
  if (text.trim() === '') throw new CellError('has no factor: the cell for times is empty');
  if (!isFactor(text.trim())) throw new CellError(`has the factor ${quoted(text)}, which is not a number above 0`);
  return text.trim();
}

function unlisted({ values, otherwise, keep }: CellRule, text: string, read: (text: string) => string): string {
  if (otherwise !== undefined) return otherwise;
  if (values && !keep) throw new CellError(`${quoted(text)} is not listed under values in the map; add it there`);
  return read(text);
}

/** Replaces all texts in one pass, so that a replacement is not replaced again. */
function replacing(replace: CellRule['replace']): (text: string) => string {
  if (!replace.length) return unchanged;
  const by = new Map(replace);
  const pattern = new RegExp([...by.keys()].map(escapeRegExp).join('|'), 'g');
  return (text) => {
    const length = new TextLength(text.length);
    return text.replace(pattern, (found) => {
      const replacement = by.get(found)!;
      length.add(replacement.length - found.length);
      return replacement;
    });
  };
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function unchanged(text: string): string {
  return text;
}
