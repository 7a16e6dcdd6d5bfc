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

const DEMANDS: Record<Kind, string> = {
  text: 'has to be text, in quotes',
  number: 'has to be a number, without quotes',
  boolean: 'has to be true, false or null',
};

/**
 * The text of a cell for a column, '' where the value is null or empty; or what is wrong with it.
 * @param value undefined: the key is not there. `ProductShape` complains of one that other elements have.
 */
export function jsonCell(value: unknown, field: FieldDeclaration): string | CellError {
  if (value === undefined && isRequired(field)) return new CellError('missing key; each element needs it');
  if (value === undefined || value === null || value === '') return '';
  const { type } = field;
  const kind = kindOf(value);
  if (kind !== KINDS[type]) return new CellError(demand(KINDS[type], kind));
  return String(value);
}

/** Undefined: an array or an object, which no column holds. */
function kindOf(value: unknown): Kind | undefined {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'boolean') return 'boolean';
  return typeof value === 'number' || value instanceof ExactNumber ? 'number' : undefined;
}

function demand(wanted: Kind, kind?: Kind): string {
  return DEMANDS[wanted] + (wanted === 'text' && kind === 'number' ? ': leading zeros would be lost' : '');
}
