/** The server has reached its connection limit, or the connection limit of this account. */
const LIMIT_REACHED = new Set(['ER_CON_COUNT_ERROR', 'ER_TOO_MANY_USER_CONNECTIONS', 'ER_USER_LIMIT_REACHED']);

/**
 * Errors after which a connection is useless: the shutdown of the server, KILL on MariaDB, the idle timeout of MySQL, and
 * a Galera node without a majority. A new connection may reach another node through a load balancer.
 */
const USELESS_AFTER = new Set([1053, 1927, 4031, 1047]);

/** Whether the server refused another connection because of a limit. */
export function isConnectionLimitReached(error: unknown): boolean {
  return LIMIT_REACHED.has((error as { code?: string }).code ?? '');
}

/** Whether the connection is useless after the error. mysql2 marks connection errors that it detects itself as fatal. */
export function isConnectionLost(error: unknown): boolean {
  const { fatal, errno } = error as { fatal?: boolean; errno?: number };
  return fatal === true || USELESS_AFTER.has(errno ?? 0);
}
