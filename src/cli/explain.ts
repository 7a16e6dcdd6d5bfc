import { SettingsError } from '../config/settings-error.js';
import { UnknownReference } from '../customers/customers.service.js';
import { PriceChangeRefused } from '../guard/terms-comparison.js';
import { visibleLines } from '../import/excerpt.js';
import { ImportRefused } from '../import/problems.js';
import { CommandFailed } from './command-failed.js';

/** Returns the message of an error for the operator. Errors that operators can fix have complete messages. */
export function explain(error: Error): string {
  const expected = [CommandFailed, SettingsError, ImportRefused, UnknownReference, PriceChangeRefused].some(
    (kind) => error instanceof kind,
  );
  return visibleLines(expected ? error.message : `Failed: ${error.message || error.name}`);
}
