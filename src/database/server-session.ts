/**
 * Session settings that must not depend on the configuration of the server:
 * - With `NO_BACKSLASH_ESCAPES`, a parameter that mysql2 escapes could end its own quotes.
 * - A row limit would shorten responses.
 * - Without strict mode, the server would truncate values.
 * - Without autocommit, the changes of a command would be lost.
 * - Without foreign keys, rows would outlive the rows that they reference.
 * - On another isolation level, readers could see half of an import.
 */
export const SESSION = [
  `SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,NO_ENGINE_SUBSTITUTION',
  SESSION sql_select_limit = 18446744073709551615, SESSION autocommit = 1, SESSION foreign_key_checks = 1`,
  'SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ',
];
