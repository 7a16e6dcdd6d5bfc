import type { Query } from './query.js';

/** Access to the database, a table, a column, a global privilege or a routine is denied. */
const DENIED = new Set([1044, 1142, 1143, 1227, 1370]);

/** Whether the server refused a statement because the account lacks a privilege. */
export function deniedStatement(error: unknown): boolean {
  const { driverError: { errno } = {}, errno: own } = error as { driverError?: { errno?: number }; errno?: number };
  return DENIED.has(errno ?? own ?? 0);
}

/** The database and the account of a connection, as a GRANT names them. */
export async function accountOf(query: Query): Promise<{ name: string; account: string }> {
  const [row] = await query('SELECT DATABASE() AS name, CURRENT_USER() AS account');
  return { name: String(row!.name), account: String(row!.account).replace(/^(.*)@(.*)$/, "'$1'@'$2'") };
}

/** Adds the remedy to the error of a command that wrote with an account that may only read. */
export async function explainDenied(error: unknown, query: Query): Promise<unknown> {
  if (!deniedStatement(error)) return error;
  const { name, account } = await accountOf(query);
  const { message } = error as Error;
  return new Error(
    `${message}. Set DATABASE_URL to the account for imports and commands. If this is the account, run GRANT SELECT, INSERT, UPDATE, DELETE ON \`${name}\`.* TO ${account}`,
    { cause: error },
  );
}
