/** The server has no connection left, or none for this account. */
const NONE_LEFT = new Set(['ER_CON_COUNT_ERROR', 'ER_TOO_MANY_USER_CONNECTIONS', 'ER_USER_LIMIT_REACHED']);

/** Errors by which a server ends a connection: its shutdown, KILL on MariaDB, the idle time-out of MySQL. */
const ENDED_BY_SERVER = new Set([1053, 1927, 4031]);

/** Whether the server refused another connection because of its limits. */
export function hasNoneLeft(error: unknown): boolean {
  return NONE_LEFT.has((error as { code?: string }).code ?? '');
}

/** Whether the connection ended with this error. mysql2 marks the errors that it notices itself as fatal. */
export function isLost(error: unknown): boolean {
  const { fatal, errno } = error as { fatal?: boolean; errno?: number };
  return fatal === true || ENDED_BY_SERVER.has(errno ?? 0);
}
