import type { Query, Row } from './query.js';

/** The fewest bytes that a number or a date takes in the binary log. */
const NUMBER_BYTES = 1;
const NUMBER_OR_DATE = /^[-\d.: ]*$/;
const ER_RUN_HOOK_ERROR = 3100;

/** The servers of the group do not accept so large a transaction. */
export class TransactionTooLarge extends Error {}

/**
 * The largest transaction that the group of a MySQL server accepts, in bytes.
 * @returns undefined if the server is in no group, or its group has no limit
 */
export async function transactionLimit(query: Query): Promise<number | undefined> {
  const [row] = await query(`SHOW GLOBAL VARIABLES LIKE 'group_replication_transaction_size_limit'`);
  // 0 stands for none. MariaDB, and a server without the plugin, lack the variable.
  const limit = Number(row?.Value ?? 0);
  return limit && (await isInGroup(query)) ? limit : undefined;
}

/** Accounts without rights on performance_schema cannot see it: the plugin alone is the best sign then. */
async function isInGroup(query: Query): Promise<boolean> {
  const sql = `SELECT 1 FROM performance_schema.replication_group_members WHERE MEMBER_STATE = 'ONLINE' LIMIT 1`;
  return query(sql).then(
    (rows: Row[]) => rows.length > 0,
    () => true,
  );
}

/** Adds up the values that a transaction writes, never too many bytes, and stops it once it exceeds the limit. */
export class TransactionSize {
  private bytes = 0;

  constructor(private readonly limit: number) {}

  /** Passes statements on. @throws {TransactionTooLarge} with the statement that exceeds the limit */
  counting(query: Query): Query {
    return (sql, parameters = []) => {
      if (/^\s*INSERT/i.test(sql)) this.add(parameters);
      return query(sql, parameters);
    };
  }

  /** An error of COMMIT, with what to do if the size is the reason. */
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
        `This transaction has more than ${this.limit} bytes, and the group of MySQL servers would not accept it. ${remedy(this.limit)}`,
      );
  }
}

/** What an operator can do about the limit. */
export function remedy(limit: number): string {
  return `Its limit is group_replication_transaction_size_limit = ${limit}. Import fewer rows at a time (see "MySQL Group Replication" in docs/operations.md), or raise the limit on each member: SET PERSIST group_replication_transaction_size_limit = 2147483647`;
}

/** The values in bytes. The binary log has more: lengths, columns that are not written, and old values. */
function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + sizeOf(one), 0);
  if (Buffer.isBuffer(value)) return value.length;
  if (typeof value !== 'string') return 0;
  return NUMBER_OR_DATE.test(value) ? NUMBER_BYTES : Buffer.byteLength(value);
}
