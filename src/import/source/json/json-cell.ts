import { type FieldDeclaration, type FieldType, isRequired } from '../../../resource/field.decorator.js';
import { CellError } from '../../cell.js';
import { ExactNumber } from './json-value.js';

type Kind = 'text' | 'number' | 'boolean';

const KINDS: Record<FieldType, Kind> = {
  varchar: 'text',
  text: 'text',
  int: 'number',
  decimal: 'number',
  boolean: 'boolean',
  date: 'text',
  datetime: 'text',
};

const EXPECTED: Record<Kind, string> = {
  text: 'must be text, in quotes',
  number: 'must be a number, without quotes',
  boolean: 'must be true, false or null',
};

/**
 * Returns the text of a cell for a column, '' if the value is null or empty, or the error of the value.
 * @param value undefined if the key is missing; `ProductShape` reports a missing key that other elements have
 */
export function jsonCell(value: unknown, field: FieldDeclaration): string | CellError {
  if (value === undefined && isRequired(field)) return new CellError('missing key; every element needs it');
  if (value === undefined || value === null || value === '') return '';
  const { type } = field;
  const kind = kindOf(value);
  if (kind !== KINDS[type]) return new CellError(wrongKind(KINDS[type], kind));
  return String(value);
}

/** Returns undefined for an array or an object, which no column can hold. */
function kindOf(value: unknown): Kind | undefined {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'boolean') return 'boolean';
  return typeof value === 'number' || value instanceof ExactNumber ? 'number' : undefined;
}

function wrongKind(expected: Kind, found?: Kind): string {
  return EXPECTED[expected] + (expected === 'text' && found === 'number' ? ': a number loses its leading zeros' : '');
}
