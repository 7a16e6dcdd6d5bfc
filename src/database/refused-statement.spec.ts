import { explainRefusal, isConflict, WRITING } from './refused-statement.js';

const account: Parameters<typeof explainRefusal>[1] = async () => [{ name: 'shop', account: 'imp@%' }];

function failure(errno: number, message: string): Error {
  return Object.assign(new Error(message), { errno });
}

const READ_ONLY = 'The MySQL server is running with the --read-only option so it cannot execute this statement';

test.each([
  ['a read-only server', failure(1290, READ_ONLY), 'Set DATABASE_URL to the primary'],
  ['a read-only instance of Aurora', failure(1836, 'Running in read-only mode'), 'Set DATABASE_URL to the primary'],
  ['a missing right', failure(1142, 'INSERT command denied'), "DELETE ON `shop`.* TO 'imp'@'%'"],
  [
    'a trigger whose account was dropped',
    failure(1449, "The user specified as a definer ('owner'@'%') does not exist"),
    'create it again with the rights of the owner',
  ],
  [
    'a deadlock',
    failure(1213, 'Deadlock found when trying to get lock'),
    'rolled the transaction back. Run the command again',
  ],
  ['a row that another program added', failure(1062, "Duplicate entry 'A' for key 'PRIMARY'"), 'Run the command again'],
  [
    'a node without a majority',
    failure(1047, 'WSREP has not yet prepared node for application use'),
    "SHOW STATUS LIKE 'wsrep_ready'",
  ],
  [
    'a strict Percona XtraDB Cluster',
    failure(1105, 'Percona-XtraDB-Cluster prohibits use of GET_LOCK with pxc_strict_mode = ENFORCING'),
    'SET GLOBAL pxc_strict_mode = MASTER',
  ],
])('explainRefusal keeps the message of %s and adds a remedy', async (_, error, remedy) => {
  const { message, cause } = (await explainRefusal(error, account, WRITING)) as Error;
  expect(message.startsWith(`${error.message}. `)).toBe(true);
  expect(message).toContain(remedy);
  expect(cause).toBe(error);
});

test.each([
  failure(1290, 'The server is running with the --skip-grant-tables option'),
  failure(1366, 'Incorrect string value'),
])('explainRefusal returns any other error unchanged', async (error) => {
  expect(await explainRefusal(error, account, WRITING)).toBe(error);
});

test('explainRefusal returns the refusal if the server does not name the account', async () => {
  const error = failure(1142, 'SELECT command denied');
  expect(await explainRefusal(error, () => Promise.reject(new Error('lost')), WRITING)).toBe(error);
});

test('isConflict is true for deadlocks only', () => {
  expect([1213, 1205].map((errno) => isConflict(failure(errno, 'Deadlock found')))).toEqual([true, false]);
});
