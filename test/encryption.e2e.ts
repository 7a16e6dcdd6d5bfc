import mysql from 'mysql2/promise';
import { runCli } from '../src/cli/program.js';
import { type Certificate, makeCertificate } from './support/certificate.js';
import { describeUnless } from './support/describe-with.js';
import { startPrivateServer } from './support/private-server.mjs';
import { A, smallCatalogue } from './support/small-catalogue.js';
import { engine, type Environment, TestDatabase, TestService } from './support/test-service.js';

const program = engine === 'mysql' && process.env.TEST_MYSQL_PROGRAM;
const reason = !program && 'TEST_MYSQL_URL names a server that is not ours';

if (engine === 'sqlite')
  test('the embedded database has no connections to encrypt', async () => {
    const database = await TestDatabase.create();
    expect(() => database.settings({ DATABASE_TLS: 'true' })).toThrow('DATABASE_TLS needs a DATABASE_URL');
    await database.drop();
  });
else
  describeUnless(reason, 'a server that accepts only encrypted connections', () => {
    const url = process.env.TEST_MYSQL_URL;
    let own: Certificate;
    let server: Awaited<ReturnType<typeof startPrivateServer>>;
    let database: TestDatabase;

    /** @param name the host name in the certificate; the server itself is localhost */
    async function start(name: string): Promise<void> {
      own = await makeCertificate(name);
      const files = [`--ssl-ca=${own.certificate}`, `--ssl-cert=${own.certificate}`, `--ssl-key=${own.key}`];
      server = await startPrivateServer(JSON.parse(program as string), files);
      process.env.TEST_MYSQL_URL = server.url.replace('127.0.0.1', 'localhost');
      database = await TestDatabase.create();
      await database.load(smallCatalogue);
    }

    async function encryptedOnly(): Promise<void> {
      const connection = await mysql.createConnection(server.url);
      await connection.query('SET GLOBAL require_secure_transport = ON');
      await connection.end();
    }

    afterEach(async () => {
      process.env.TEST_MYSQL_URL = url;
      await server.stop();
      own.remove();
    });

    /** Runs a command with these settings and DATABASE_URL. @returns its output */
    async function command(environment: Environment): Promise<string> {
      let printed = '';
      const output = { write: (text: string) => void (printed += text) };
      await runCli(['customer', 'list'], { stdin: process.stdin, stdout: output, stderr: output }, () =>
        database.settings(environment),
      );
      return printed;
    }

    test('serves only clients that trust its certificate (decision 78)', async () => {
      await start('localhost');
      const settings = { DATABASE_CA_FILE: own.certificate, JWT_SECRET: 's'.repeat(32) };
      const service = await TestService.start(settings, database);
      const token = await service.token(A);
      await service.stop();
      await encryptedOnly();

      const encrypted = await TestService.start(settings, database);
      expect((await encrypted.get('/stock', token)).status).toBe(200);
      await encrypted.stop();
      expect(await command(settings)).toContain(A);

      expect(await command({})).toMatch(/secure|Access denied/);
      expect(await command({ DATABASE_TLS: 'true' })).toMatch(/certificate/);
      const other = await makeCertificate();
      expect(await command({ DATABASE_CA_FILE: other.certificate })).toMatch(/certificate/);
      other.remove();
    });

    test('needs a certificate for the host name in DATABASE_URL (decision 78)', async () => {
      await start('db.example');
      expect(await command({})).toContain(A);
      expect(await command({ DATABASE_CA_FILE: own.certificate })).toMatch(/does not match certificate/);
    });
  });
