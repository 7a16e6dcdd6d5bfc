import type { Query } from './query.js';

/** Work that an account needs rights for. */
export interface Task {
  /** The account, for messages. */
  readonly account: string;
  /** The rights, as a GRANT lists them. */
  readonly rights: string;
}

export const READING: Task = { account: 'an account that may read', rights: 'SELECT' };

export const WRITING: Task = {
  account: 'the account for imports and commands',
  rights: 'SELECT, INSERT, UPDATE, DELETE',
};

interface Refusal {
  readonly errors: readonly number[];
  /** Part of the message, if the server uses the error for other reasons, too. */
  readonly text?: RegExp;
  readonly remedy: (query: Query, task: Task) => Promise<string> | string;
}

/** Another transaction changed the same rows. On a cluster, this may show only at COMMIT. */
const CONFLICT: Refusal = {
  errors: [1180, 1213, 3101],
  text: /deadlock|rollback/i,
  remedy: () =>
    'Another program changed the same rows at the same time, so the server rolled the transaction back. Run the command again. On a cluster of databases, run all imports and commands on the same node (see docs/clusters.md)',
};

const REFUSALS: readonly Refusal[] = [
  CONFLICT,
  {
    // Another program added the row after this command had found that it does not exist.
    errors: [1062],
    remedy: () => 'Another program added this row at the same time. Run the command again',
  },
  {
    // Access to the database, a table, a column, a global privilege or a routine is denied.
    errors: [1044, 1142, 1143, 1227, 1370],
    remedy: async (query, { account, rights }) => {
      const [row] = await query('SELECT DATABASE() AS name, CURRENT_USER() AS account');
      const grantee = String(row!.account).replace(/^(.*)@(.*)$/, "'$1'@'$2'");
      return `Set DATABASE_URL to ${account}. If this is the account, run GRANT ${rights} ON \`${row!.name}\`.* TO ${grantee}`;
    },
  },
  {
    // The option read_only, a read-only storage engine, or both: Aurora.
    errors: [1036, 1290, 1792, 1836],
    text: /read[ -]only/i,
    remedy: () =>
      'The server of DATABASE_URL accepts no writes. Set DATABASE_URL to the primary (a managed service calls it the writer). After a failover, run the command again (see docs/clusters.md)',
  },
  {
    // The server writes a binary log, and the account lacks SUPER.
    errors: [1419],
    remedy: () =>
      'The server writes a binary log: as its administrator, run SET GLOBAL log_bin_trust_function_creators = 1 and add that to its configuration (on MySQL, SET PERSIST does both)',
  },
  {
    // The definer of a trigger was dropped. `migrate --repeat` does not replace a trigger that exists.
    errors: [1449],
    remedy: () =>
      'The triggers run with the rights of this account. As the administrator, create it again with the rights of the owner (see docs/operations.md#install), then run the command again',
  },
  {
    errors: [1047],
    text: /WSREP/,
    remedy: () =>
      "The Galera node has lost the majority of its cluster, or is still joining it. Wait until SHOW STATUS LIKE 'wsrep_ready' returns ON, or set DATABASE_URL to another node (see docs/clusters.md)",
  },
  {
    errors: [1105],
    text: /pxc_strict_mode/,
    remedy: () =>
      'Imports and migrations take a named lock. As the administrator, run SET GLOBAL pxc_strict_mode = MASTER on each node, and run all imports and commands on the same node (see docs/clusters.md)',
  },
];

/** Whether the server rolled the transaction back in favour of another one. It may succeed if it runs again. */
export function isConflict(error: unknown): boolean {
  return matches(CONFLICT, error);
}

/** Returns the error with a remedy, if the server refused a statement for a reason that an operator can remove. */
export async function explainRefusal(error: unknown, query: Query, task: Task): Promise<unknown> {
  const refusal = REFUSALS.find((one) => matches(one, error));
  if (!refusal) return error;
  const message = (error as Error).message.replace(/\.$/, '');
  try {
    return new Error(`${message}. ${await refusal.remedy(query, task)}`, { cause: error });
  } catch {
    // The remedy needs a statement, and its failure must not hide the refusal.
    return error;
  }
}

function matches({ errors, text }: Refusal, error: unknown): boolean {
  const { errno = 0, message } = error as { errno?: number; message: string };
  return errors.includes(errno) && (!text || text.test(message));
}
