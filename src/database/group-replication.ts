import type { Query, Row } from './query.js';

/** Minimum bytes of a number or a date in the binary log. */
const NUMBER_BYTES = 1;
const NUMBER_OR_DATE = /^[-\d.: ]*$/;
const ER_RUN_HOOK_ERROR = 3100;

/** The transaction exceeds the limit of the server group. */
export class TransactionTooLarge extends Error {}

/**
 * Returns the largest transaction that the replication group of a MySQL server accepts, in bytes.
 * @returns undefined if the server is in no group, or its group has no limit
 */
export async function transactionLimit(query: Query): Promise<number | undefined> {
  // 0 means no limit.
  const limit = Number((await variable(query, 'transaction_size_limit')) ?? 0);
  return limit && (await isInGroup(query)) ? limit : undefined;
}

/**
 * @throws if the server is in a group whose members all accept writes. The lock of imports is local to a member, and such
 * a group does not support foreign keys that delete rows.
 */
export async function assertSinglePrimary(query: Query): Promise<void> {
  if ((await variable(query, 'single_primary_mode')) !== 'OFF' || !(await isInGroup(query))) return;
  throw new Error(
    'This server is in a group of MySQL servers in multi-primary mode, which cannot keep imports apart. As the administrator, run SELECT group_replication_switch_to_single_primary_mode() on a member, and set DATABASE_URL to the primary (see docs/clusters.md)',
  );
}

/** Undefined on MariaDB and on servers without the plugin. */
async function variable(query: Query, name: string): Promise<unknown> {
  const [row] = await query(`SHOW GLOBAL VARIABLES LIKE 'group_replication_${name}'`);
  return row?.Value;
}

/** Returns true for accounts without rights on performance_schema: they see only that the plugin is loaded. */
async function isInGroup(query: Query): Promise<boolean> {
  const sql = `SELECT 1 FROM performance_schema.replication_group_members WHERE MEMBER_STATE = 'ONLINE' LIMIT 1`;
  return query(sql).then(
    (rows: Row[]) => rows.length > 0,
    () => true,
  );
}

/** Adds up the bytes that a transaction writes, and fails once they exceed the limit. It never overestimates. */
export class TransactionSize {
  private bytes = 0;

  constructor(private readonly limit: number) {}

  /** Returns a query that counts and runs statements. @throws {TransactionTooLarge} if a statement exceeds the limit */
  counting(query: Query): Query {
    return (sql, parameters = []) => {
      if (/^\s*INSERT/i.test(sql)) this.add(parameters);
      return query(sql, parameters);
    };
  }

  /** Returns the error of COMMIT, with a remedy if the server refused the transaction. */
  explain(error: unknown): unknown {
    const { errno, message } = error as { errno?: number; message: string };
    if (errno !== ER_RUN_HOOK_ERROR) return error;
    return new TransactionTooLarge(`${message} The group did not accept the transaction. ${remedy(this.limit)}`, {
      cause: error,
    });
  }

  private add(parameters: readonly unknown[]): void {
    this.bytes += sizeOf(parameters);
    if (this.bytes > this.limit)
      throw new TransactionTooLarge(
        `This transaction has more than ${this.limit} bytes, and the group of MySQL servers would refuse it. ${remedy(this.limit)}`,
      );
  }
}

/** Returns advice for the operator. */
export function remedy(limit: number): string {
  return `Its limit is group_replication_transaction_size_limit = ${limit}. Import fewer rows at a time (see docs/clusters.md), or raise the limit on each member: SET PERSIST group_replication_transaction_size_limit = 2147483647`;
}

/**
 * Returns the size of the values in bytes. The binary log has more: lengths, columns that are not written, and old
 * values.
 */
function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + sizeOf(one), 0);
  if (Buffer.isBuffer(value)) return value.length;
  if (typeof value !== 'string') return 0;
  return NUMBER_OR_DATE.test(value) ? NUMBER_BYTES : Buffer.byteLength(value);
}
