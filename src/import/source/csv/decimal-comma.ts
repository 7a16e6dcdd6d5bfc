import { CellError } from '../../cell.js';
import { quoted } from '../../excerpt.js';

/**
 * A number written with a comma before its decimals, with a point instead. It is checked no further.
 * @throws {CellError} where it has a point or several commas: one reader's decimals are another's thousands
 */
export function pointDecimal(text: string): string {
  if (text.includes('.'))
    throw new CellError(`${quoted(text)} has a point; with --decimal-comma a number has a comma and nothing else`);
  if (text.indexOf(',') !== text.lastIndexOf(',')) throw new CellError(`${quoted(text)} has more than one comma`);
  return text.replace(',', '.');
}

/** The same as a cell of a source. */
export function pointCell(text: string): string | CellError {
  try {
    return pointDecimal(text);
  } catch (error) {
    if (error instanceof CellError) return error;
    throw error;
  }
}
