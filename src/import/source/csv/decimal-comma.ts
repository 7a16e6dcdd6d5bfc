import { CellError } from '../../cell.js';
import { quoted } from '../../excerpt.js';

/**
 * Replaces the decimal comma of a number by a point. It does not check that the text is a number.
 * @throws {CellError} if the text has a point or several commas, since these could be thousands separators
 */
export function commaToPoint(text: string): string {
  if (text.includes('.'))
    throw new CellError(
      `${quoted(text)} has a point; with --decimal-comma, the only separator is a comma before the decimals`,
    );
  if (text.indexOf(',') !== text.lastIndexOf(',')) throw new CellError(`${quoted(text)} has more than one comma`);
  return text.replace(',', '.');
}

/** Like `commaToPoint`, but for a cell of a source: returns the error instead of throwing it. */
export function commaToPointCell(text: string): string | CellError {
  try {
    return commaToPoint(text);
  } catch (error) {
    if (error instanceof CellError) return error;
    throw error;
  }
}
