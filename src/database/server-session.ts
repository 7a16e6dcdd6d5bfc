/**
 * What a session of ours must not inherit from the server: without backslash escapes the parameters that mysql2 escapes
 * could leave their quotes, a row limit would shorten answers, without strictness values would be cut, without
 * autocommit what a command writes would be lost, without foreign keys rows would outlive what they hang on, and on
 * another isolation level readers could see half of an import.
 */
export const SESSION = [
  `SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,NO_ENGINE_SUBSTITUTION',
  SESSION sql_select_limit = 18446744073709551615, SESSION autocommit = 1, SESSION foreign_key_checks = 1`,
  'SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ',
];
