import type { Field } from '../../../resource/field.decorator.js';
import { CellError, isNumber } from '../../cell.js';
import { quoted } from '../../excerpt.js';
import { pointDecimal } from '../csv/decimal-comma.js';
import type { CellRule } from '../map/mapping-rule.js';
import { TextLength } from './bounded-text.js';
import { scaledDecimal } from './scaled-decimal.js';

/**
 * What becomes of a foreign text on its way to a column: replace, values, decimal comma, times, prepend. An empty text
 * stays empty, unless `values` lists it.
 * @returns a function that throws a CellError where the text stands for no value
 */
export function cellText(rule: CellRule, column: Field | undefined, decimalComma: boolean): (text: string) => string {
  const replaced = replacing(rule.replace);
  const point = decimalComma && column && isNumber(column) ? pointDecimal : unchanged;
  const scale = column?.type === 'decimal' ? (column.scale ?? 0) : Infinity;
  return (cell) => {
    const text = replaced(cell);
    const listed = rule.values?.get(text.trim());
    const value = listed ?? (text.trim() === '' ? '' : unlisted(rule, text, point));
    if (value === '') return text.trim() === '' ? text : '';
    new TextLength(value.length).add(rule.prepend.length);
    return rule.prepend + (rule.times === undefined ? value : scaledDecimal(value, rule.times, scale));
  };
}

function unlisted({ values, otherwise, keep }: CellRule, text: string, point: (text: string) => string): string {
  if (otherwise !== undefined) return otherwise;
  if (values && !keep) throw new CellError(`${quoted(text)} is none of the values that the map lists; add it there`);
  return point(text);
}

/** Replaces texts in one go: what was put in is not replaced again. */
function replacing(replace: CellRule['replace']): (text: string) => string {
  if (!replace.length) return unchanged;
  const by = new Map(replace);
  const pattern = new RegExp([...by.keys()].map(literally).join('|'), 'g');
  return (text) => {
    const length = new TextLength(text.length);
    return text.replace(pattern, (found) => {
      const replacement = by.get(found)!;
      length.add(replacement.length - found.length);
      return replacement;
    });
  };
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function unchanged(text: string): string {
  return text;
}
