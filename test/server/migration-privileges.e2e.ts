import mysql from 'mysql2/promise';
import { runCli } from '../../src/cli/program.js';
import { describeUnless } from '../support/describe-with.js';
import { startPrivateServer } from '../support/private-server.mjs';
import { tablesOf } from '../support/schema.js';
import { TestDatabase } from '../support/test-service.js';

const program = process.env.TEST_MYSQL_PROGRAM;

/** The privileges that a migration needs in addition to SELECT. */
const PRIVILEGES = ['INSERT', 'UPDATE', 'DELETE', 'CREATE', 'ALTER', 'DROP', 'INDEX', 'TRIGGER'];
// MariaDB checks REFERENCES nowhere.
if (program && !JSON.parse(program).mariadb) PRIVILEGES.push('REFERENCES');

const reason = !program && 'TEST_MYSQL_URL names an external server';
describeUnless(reason, 'migrate with an account without SUPER, on a server with a binary log', () => {
  const TABLE = 'customer_data_privilege_check';
  let server: Awaited<ReturnType<typeof startPrivateServer>>;
  let root: mysql.Connection;
  let database: TestDatabase;
  let name: string;
  let ownerUrl: string;

  beforeAll(async () => {
    server = await startPrivateServer(JSON.parse(program!), ['--log-bin=binary-log', '--server-id=1']);
    root = await mysql.createConnection(server.url);
    await root.query(`CREATE USER owner@'%' IDENTIFIED BY ''`);
  });
  afterAll(async () => {
    await root.end();
    await server.stop();
  });
  beforeEach(async () => {
    database = await TestDatabase.create({ migrated: false, server: server.url });
    name = new URL(database.url).pathname.slice(1);
    ownerUrl = database.url.replace('root', 'owner');
  });
  afterEach(async () => {
    await root.query('REVOKE ALL PRIVILEGES, GRANT OPTION FROM owner');
    await database.drop();
  });

  const grant = (privileges: string) => root.query(`GRANT ${privileges} ON ${name}.* TO owner`);
  const tables = async () => (await root.query(`SHOW TABLES FROM ${name}`))[0];
  const trustOwner = (trust: number) => root.query(`SET GLOBAL log_bin_trust_function_creators = ${trust}`);

  /** Runs `migrate` as the owner. */
  async function migrate(): Promise<{ code: number; stderr: string }> {
    let stderr = '';
    const output = { stdout: { write: () => undefined }, stderr: { write: (text: string) => void (stderr += text) } };
    const code = await runCli(['migrate'], output, () => database.settings({ DATABASE_URL: ownerUrl }));
    return { code, stderr };
  }

  test('stops before its first statement, names the missing setting, and completes with it (decision 99)', async () => {
    await trustOwner(0);
    await grant('ALL');
    const { code, stderr } = await migrate();
    expect([code, stderr]).toEqual([1, expect.stringContaining('SET GLOBAL log_bin_trust_function_creators = 1')]);
    expect(await tables()).toEqual([]);
    await trustOwner(1);
    expect(await migrate()).toMatchObject({ code: 0, stderr: '' });
    expect(await tablesOf(database)).toContain('product_documents');
    expect(await tablesOf(database)).not.toContain(TABLE);
  });

  test.each(PRIVILEGES)(
    'stops before its first statement without %s, and names the missing grant (decision 99)',
    async (one) => {
      await trustOwner(1);
      await grant(['SELECT', ...PRIVILEGES.filter((other) => other !== one)].join());
      const { code, stderr } = await migrate();
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining(`REFERENCES, TRIGGER ON \`${name}\`.* TO 'owner'@'%'`),
      ]);
      // Without DROP, the check fails at its first statement and creates no table.
      expect(await tables()).toEqual([]);
    },
  );

  test('completes after a check that was killed (decision 99)', async () => {
    await trustOwner(1);
    await grant('ALL');
    await database.sql(`CREATE TABLE ${TABLE} (ID integer)`);
    expect(await migrate()).toMatchObject({ code: 0, stderr: '' });
    expect(await tablesOf(database)).not.toContain(TABLE);
  });
});
