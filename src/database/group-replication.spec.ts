import { assertSinglePrimary, TransactionSize, transactionLimit, TransactionTooLarge } from './group-replication.js';
import type { Query, Row } from './query.js';

/** A fake server with this limit. `members` is the list of group members, or the error of reading it. */
function server(limit: string | undefined, members: Row[] | Error): Query {
  return async (sql) => {
    if (sql.startsWith('SHOW')) return limit === undefined ? [] : [{ Value: limit }];
    if (members instanceof Error) throw members;
    return members;
  };
}

const DENIED = new Error('SELECT command denied');

test.each<[string, string | undefined, Row[] | Error, number | undefined]>([
  ['a member of a group', '150000000', [{ 1: 1 }], 150_000_000],
  ['a member, read by an account without rights on performance_schema', '150000000', DENIED, 150_000_000],
  ['a server that has left its group', '150000000', [], undefined],
  ['a group without a limit', '0', [{ 1: 1 }], undefined],
  ['a server without the plugin', undefined, DENIED, undefined],
])('transactionLimit returns the limit for %s', async (_, limit, members, expected) => {
  expect(await transactionLimit(server(limit, members))).toBe(expected);
});

test.each<[string, string | undefined, Row[] | Error, boolean]>([
  ['a member of a group in multi-primary mode', 'OFF', [{ 1: 1 }], true],
  ['a member, read by an account without rights on performance_schema', 'OFF', DENIED, true],
  ['a member of a group with one primary', 'ON', [{ 1: 1 }], false],
  ['a server that has left its group', 'OFF', [], false],
  ['a server without the plugin', undefined, DENIED, false],
])('assertSinglePrimary decides for %s', async (_, mode, members, isRefused) => {
  const refusal = await assertSinglePrimary(server(mode, members)).catch(({ message }: Error) => message);
  expect(refusal?.includes('switch_to_single_primary_mode()') ?? false).toBe(isRefused);
});

const nothing: Query = async () => [];
const rows = (text: string, count: number) => [Array.from({ length: count }, () => [text, '12345.6789', 7, null])];

describe('a transaction', () => {
  test('fails at the statement that exceeds the limit, with a remedy', async () => {
    const query = new TransactionSize(1000).counting(nothing);
    await query('INSERT INTO t VALUES ?', rows('ä'.repeat(10), 40));
    await query('SELECT ?', ['x'.repeat(5000)]);
    const error = () => query('INSERT INTO t VALUES ?', rows('ä'.repeat(10), 40));
    expect(error).toThrow(TransactionTooLarge);
    expect(error).toThrow(/more than 1000 bytes.*SET PERSIST group_replication_transaction_size_limit/);
  });

  test('counts at most one byte for a number, date or null, and every byte of a document', async () => {
    const size = new TransactionSize(1000);
    await size.counting(nothing)('INSERT INTO t VALUES ?', rows('2027-01-15', 400));
    const document = Buffer.alloc(300);
    expect(() => size.counting(nothing)('INSERT INTO t VALUES (?)', [document])).toThrow(TransactionTooLarge);
  });

  test('adds the remedy to the error of COMMIT only', () => {
    const size = new TransactionSize(1000);
    const refused = Object.assign(new Error(`Error on observer while running replication hook 'before_commit'.`), {
      errno: 3100,
    });
    expect((size.explain(refused) as Error).message).toMatch(/^Error on observer .* = 1000\. Import fewer rows/);
    const other = Object.assign(new Error('Deadlock found'), { errno: 1213 });
    expect(size.explain(other)).toBe(other);
  });
});
