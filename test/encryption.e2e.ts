import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mysql from 'mysql2/promise';
import { runCli } from '../src/cli/program.js';
import { type Certificate, makeCertificate } from './support/certificate.js';
import { describeUnless } from './support/describe-with.js';
import { startPrivateServer } from './support/private-server.mjs';
import { A, smallCatalogue } from './support/small-catalogue.js';
import { engine, type Environment, TestDatabase, TestService } from './support/test-service.js';
import { until } from './support/until.js';

const found = engine === 'mysql' && process.env.TEST_MYSQL_PROGRAM;
const reason = !found && 'TEST_MYSQL_URL names a server that is not ours';

if (engine === 'sqlite')
  test('the embedded database has no connections to encrypt', async () => {
    const database = await TestDatabase.create();
    expect(() => database.settings({ DATABASE_TLS: 'true' })).toThrow('DATABASE_TLS needs a DATABASE_URL');
    await database.drop();
  });
else
  describeUnless(reason, 'a server that accepts an account only with a client certificate (decision 186)', () => {
    const program = JSON.parse(found || '{}') as { program: string; mariadb: boolean };
    const folder = mkdtempSync(join(tmpdir(), 'customer-data-encryption-'));
    const file = (name: string) => join(folder, name);
    /** The settings of a service with a certificate. */
    const CERTIFIED = {
      DATABASE_CA_FILE: file('ca'),
      DATABASE_CERTIFICATE_FILE: file('certificate'),
      DATABASE_KEY_FILE: file('key'),
    };
    const certificates: Certificate[] = [];
    let authority: Certificate;
    let server: Awaited<ReturnType<typeof startPrivateServer>>;
    let database: TestDatabase;
    /** The database, for the account that needs a certificate. */
    let url: string;

    beforeAll(async () => {
      authority = await keep(makeCertificate());
      await renewFilesOfServer();
      await renewFilesOfClient();
      const files = [`--ssl-ca=${file('ca')}`, `--ssl-cert=${file('server')}`, `--ssl-key=${file('server-key')}`];
      server = await startPrivateServer(program, files);
      database = await TestDatabase.create({ server: server.url });
      await database.load(smallCatalogue);
      await database.sql([
        "CREATE USER certified IDENTIFIED BY 'secret' REQUIRE X509",
        'GRANT ALL ON *.* TO certified',
      ]);
      url = database.url.replace('//root@', '//certified:secret@');
    });

    afterAll(async () => {
      await server.stop();
      for (const certificate of certificates) certificate.remove();
      rmSync(folder, { recursive: true });
    });

    async function keep(making: Promise<Certificate>): Promise<Certificate> {
      const certificate = await making;
      certificates.push(certificate);
      return certificate;
    }

    /** The certificate of the server is for its IP address only. */
    async function renewFilesOfServer(): Promise<void> {
      const { certificate, key } = await keep(makeCertificate('127.0.0.1', { issuer: authority }));
      copyFileSync(authority.certificate, file('ca'));
      copyFileSync(certificate, file('server'));
      copyFileSync(key, file('server-key'));
    }

    async function renewFilesOfClient(): Promise<void> {
      const { certificate, key } = await keep(makeCertificate('client', { issuer: authority }));
      copyFileSync(certificate, file('certificate'));
      copyFileSync(key, file('key'));
    }

    /** Lets the server read its files again, and ends the connections of the service. */
    async function restartConnections(): Promise<void> {
      const connection = await mysql.createConnection(server.url);
      await connection.query(program.mariadb ? 'FLUSH SSL' : 'ALTER INSTANCE RELOAD TLS');
      const [sessions] = await connection.query('SHOW PROCESSLIST');
      for (const { Id, User } of sessions as { Id: number; User: string }[])
        if (User === 'certified') await connection.query(`KILL ${Id}`);
      await connection.end();
    }

    /** Runs `customer list` with these settings. @returns its output */
    async function listing(environment: Environment): Promise<string> {
      let printed = '';
      const output = { write: (text: string) => void (printed += text) };
      await runCli(['customer', 'list'], { stdin: process.stdin, stdout: output, stderr: output }, () =>
        database.settings({ DATABASE_URL: url, ...environment }),
      );
      return printed;
    }

    test('accepts a command that has a certificate', async () => {
      expect(await listing(CERTIFIED)).toContain(A);
      expect(await listing({ ...CERTIFIED, DATABASE_TLS: 'verify-ca' })).toContain(A);
      expect(await listing({ DATABASE_CA_FILE: file('ca') })).toContain('Access denied');
      expect(await listing({})).toContain('Access denied');
    });

    test('is used with DATABASE_TLS=verify-ca, although its certificate is for another host', async () => {
      const DATABASE_URL = url.replace('127.0.0.1', 'localhost');
      const settings = { ...CERTIFIED, DATABASE_URL };
      expect(await listing({ ...settings, DATABASE_TLS: 'verify-ca' })).toContain(A);
      expect(await listing(settings)).toMatch(/does not match certificate's altnames.*into the URL\n$/);
    });

    test('is never used if DATABASE_CA_FILE is for another authority', async () => {
      const { certificate } = await keep(makeCertificate());
      const settings = { ...CERTIFIED, DATABASE_CA_FILE: certificate };
      const refused = /Set DATABASE_CA_FILE to the authority/;
      for (const DATABASE_TLS of ['true', 'verify-ca'])
        expect(await listing({ ...settings, DATABASE_TLS })).toMatch(refused);
      expect(await listing({ ...CERTIFIED, DATABASE_CA_FILE: '' })).toMatch(refused);
    });

    test('refuses a certificate of another authority, and the message names the setting', async () => {
      const { certificate, key } = await keep(makeCertificate('client'));
      const settings = { ...CERTIFIED, DATABASE_CERTIFICATE_FILE: certificate, DATABASE_KEY_FILE: key };
      expect(await listing(settings)).toMatch(/refused the certificate of DATABASE_CERTIFICATE_FILE \(unknown ca\)/);
    });

    test('a service and its read replica use renewed certificates without a restart (decision 187)', async () => {
      const settings = { ...CERTIFIED, DATABASE_URL: url, RESPONSE_CACHE_MEGABYTES: '0' };
      const service = await TestService.start({ ...settings, DATABASE_REPLICA_URLS: url }, database);
      const token = await service.token(A);
      const stock = await service.text('/stock', token);
      expect(service.log.filter((line) => line.includes('replica'))).toEqual([]);

      authority = await keep(makeCertificate());
      await renewFilesOfServer();
      await restartConnections();
      await until('an error', async () => (await service.get('/stock', token)).status === 500);
      const isLogged = (text: string) => service.log.some((line) => line.includes(text));
      await until('the loss of the replica', () => isLogged('is lost'));
      await renewFilesOfClient();
      await until('the return of the replica', () => isLogged('is back'));
      expect(await service.text('/stock', token)).toBe(stock);
      await service.stop();
    });
  });
