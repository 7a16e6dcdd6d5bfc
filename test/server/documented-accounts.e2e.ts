import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHANGES, DATA, SCHEMAS } from '../support/data-endpoints.js';
import { describeUnless } from '../support/describe-with.js';
import { DocumentedServer } from '../support/documented-server.js';
import { importFile } from '../support/import-files.js';
import { codeOf } from '../support/operations-page.js';
import { A, smallCatalogue } from '../support/small-catalogue.js';

const { TEST_MYSQL_PROGRAM: program, TEST_MYSQL_LOGGED: logged, TEST_MYSQL_URL: url } = process.env;
const isMariaDb = program ? JSON.parse(program).mariadb : logged === 'mariadb';
const database = isMariaDb ? 'MariaDB' : 'MySQL';

const TABLE_ACCESS_DENIED = 1142;

const stockFile = (SKU: string, AvailableQTY: string) => ({
  'stock.csv': importFile('stock.csv', [{ WarehouseCode: 'WH-A', SKU, AvailableQTY }]),
});

const reason = !program && !logged && 'the server of TEST_MYSQL_URL writes none';
describeUnless(reason, 'the accounts of docs/operations.md, on a server with a binary log', () => {
  let server: DocumentedServer;
  let key: string;

  beforeAll(async () => {
    server = await DocumentedServer.start(database, { program, url });
    await server.cliOk('owner', 'migrate');
    await server.load(smallCatalogue);
    key = await server.cliOk('imports', 'key', 'issue', A);
  }, 120_000);
  afterAll(() => server.stop());

  test('the service serves every endpoint with SELECT alone, and sends no statement that writes (decision 214)', async () => {
    await server.sql(`SET GLOBAL log_output = 'TABLE'`);
    await server.sql('SET GLOBAL general_log = 1');
    await server.serving(key, async (get, managementUrl) => {
      const tags = new Map<string, string>();
      for (const path of [...DATA, ...SCHEMAS, '/health', '/api/version', '/api/usage']) {
        const response = await get(path);
        expect([path, response.status]).toEqual([path, 200]);
        await response.text();
        tags.set(path, response.headers.get('etag') ?? '');
      }
      for (const path of DATA) expect((await get(path, { 'If-None-Match': tags.get(path)! })).status).toBe(304);
      await server.load(stockFile('SHARED', '8'));
      for (const path of CHANGES) {
        const response = await get(path, { 'If-None-Match': tags.get(path.replace('/changes', ''))! });
        expect([path, response.status]).toEqual([path, path.startsWith('/stock') ? 200 : 304]);
        if (path.startsWith('/stock')) expect(await response.text()).toContain('"SHARED"');
      }
      for (const path of ['/readyz', '/livez', '/metrics'])
        expect([path, (await fetch(managementUrl + path)).status]).toEqual([path, 200]);
    });
    await server.sql('SET GLOBAL general_log = 0');
    const sent = await server.sql(
      `SELECT DISTINCT CONVERT(argument USING utf8mb4) AS statement FROM mysql.general_log
       WHERE user_host LIKE 'customer\\_data[%' AND command_type IN ('Query', 'Execute')`,
    );
    const statements = sent.map(({ statement }) => String(statement).trim());
    expect(statements.length).toBeGreaterThan(20);
    expect(
      statements.filter((sql) => !/^\(?(SELECT|WITH|SET SESSION|START TRANSACTION|ROLLBACK)\b/i.test(sql)),
    ).toEqual([]);
  }, 60_000);

  test('the service builds missing documents for its response and stores none (decisions 68 and 214)', async () => {
    await server.serving(key, async (get) => {
      const before = await (await get('/products')).text();
      await server.sql('DELETE FROM customer_data.product_documents');
      // Otherwise the service would respond from its cache.
      await server.sql(`UPDATE customer_data.content_versions SET Version = UUID() WHERE Part = 'products'`);
      const after = await get('/products');
      expect([after.status, await after.text()]).toEqual([200, before]);
      expect(await server.sql('SELECT SKU FROM customer_data.product_documents')).toEqual([]);
    });
    expect(await server.cliOk('imports', 'documents', 'build')).toMatch(/^Made [1-9]/);
  }, 60_000);

  test('the account of the service can write to no table, and change no schema (decision 214)', async () => {
    const tables = await server.sql(
      `SELECT TABLE_NAME AS name FROM information_schema.tables WHERE TABLE_SCHEMA = 'customer_data'`,
    );
    const writes = tables.flatMap(({ name }) => [
      `INSERT INTO ${String(name)} SELECT * FROM ${String(name)} LIMIT 0`,
      `DELETE FROM ${String(name)} WHERE 1 = 0`,
      `DROP TABLE ${String(name)}`,
      `TRUNCATE TABLE ${String(name)}`,
      `ALTER TABLE ${String(name)} COMMENT = ''`,
    ]);
    expect(writes.length).toBeGreaterThan(60);
    const others = [
      'UPDATE prices SET Price = 0',
      'UPDATE api_keys SET RevokedAt = NULL',
      'CREATE TABLE other (ID integer)',
    ];
    const results = await server.errorsOf('service', [...writes, ...others]);
    expect(results.filter(([, errno]) => errno !== TABLE_ACCESS_DENIED)).toEqual([]);
  });

  test.each([
    ['key', 'issue', A],
    ['customer', 'set', A, '--discount', '99'],
    ['documents', 'build', '--all'],
    ['catalogue', 'check'],
    ['import', 'FILE'],
  ])('%s %s fails with the account of the service and names the other account (decision 214)', async (...args) => {
    const path = join(server.operator.path, 'products.csv');
    writeFileSync(path, smallCatalogue['products.csv']!);
    const { code, stderr } = await server.cli('service', ...args.map((one) => (one === 'FILE' ? path : one)));
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('Set DATABASE_URL to the account for imports and commands'),
    ]);
  });

  test('migrate fails with the account for imports and names the other account (decisions 99 and 214)', async () => {
    const { code, stderr } = await server.cli('imports', 'migrate', '--repeat');
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('Set DATABASE_URL to the account that owns the schema'),
    ]);
  });

  test.each([
    ['key', 'list', A],
    ['customer', 'list'],
    ['customer', 'log', A],
    ['import', 'log'],
    ['documents', 'check'],
    ['export', 'FOLDER'],
  ])('%s %s works with the account of the service (decision 214)', async (...args) => {
    const folder = join(server.operator.path, 'copy');
    expect(await server.cliOk('service', ...args.map((one) => (one === 'FOLDER' ? folder : one)))).not.toBe('');
  });

  test('imports and commands work with the account for imports, and prune the change log (decision 214)', async () => {
    await server.sql(
      `INSERT INTO customer_data.version_history (Part, Code, Version, Counter, SupersededAt)
       VALUES ('products', '', 'old', 0, '2026-01-01 00:00:00')`,
    );
    const products = smallCatalogue['products.csv']!.replace('Sailor', 'Skipper').replace(/^OLD.*\n/m, '');
    const load = (...options: string[]) =>
      server.load({ 'products.csv': products }, '--replace', '--allow-removals', ...options);
    expect(await load('--dry-run')).toContain('Dry run');
    expect(await load()).toContain('Imported');
    expect(await server.sql(`SELECT Code FROM customer_data.version_history WHERE Version = 'old'`)).toEqual([]);
    const terms = ['--name', 'New', '--price-list', 'LIST-A', '--warehouse', 'WH-A'];
    await server.cliOk('imports', 'customer', 'set', 'NEW', ...terms);
    await server.cliOk('imports', 'key', 'issue', 'NEW');
    const [{ ID } = {}] = await server.sql(`SELECT ID FROM customer_data.api_keys WHERE CustomerCode = 'NEW'`);
    expect(await server.cliOk('imports', 'key', 'revoke', String(ID))).toContain('Revoked');
    expect(await server.cliOk('imports', 'customer', 'delete', 'NEW')).not.toBe('');
    expect(await server.cliOk('imports', 'documents', 'build', '--all')).toMatch(/^Made [1-9]/);
    expect(await server.cliOk('imports', 'catalogue', 'check', '--only', 'price-zero')).toContain('price-zero');
  }, 60_000);

  test('a trigger runs with the rights of the owner, so the account for imports needs no TRIGGER (decision 214)', async () => {
    const [[, errno] = []] = await server.errorsOf('imports', [
      `UPDATE products SET Name = 'Other' WHERE SKU = 'SHARED'`,
    ]);
    expect(errno).toBeUndefined();
    expect(await server.sql(`SELECT SKU FROM customer_data.product_documents WHERE SKU = 'SHARED'`)).toEqual([]);
    const refused = await server.errorsOf('imports', [
      'CREATE TABLE other (ID integer)',
      'DROP TABLE prices',
      'ALTER TABLE prices ADD COLUMN Other integer',
      'CREATE INDEX other ON prices (Price)',
      'CREATE TRIGGER other BEFORE INSERT ON prices FOR EACH ROW SET @a = 1',
    ]);
    expect(refused.filter(([, code]) => code !== TABLE_ACCESS_DENIED)).toEqual([]);
  });

  describeUnless(!program && 'it needs a server of its own', 'a restart', () => {
    test('MariaDB forgets the setting for triggers, and MySQL keeps it (operations.md, Install)', async () => {
      await server.restart();
      const [row] = await server.sql('SELECT @@log_bin AS log, @@log_bin_trust_function_creators AS trust');
      expect(row).toEqual({ log: 1, trust: database === 'MySQL' ? 1 : 0 });
    }, 60_000);
  });

  /** What a restore must bring back. */
  const content = async () => ({
    triggers: await server.sql(
      `SELECT TRIGGER_NAME AS name, DEFINER AS definer, ACTION_STATEMENT AS statement FROM information_schema.triggers
       WHERE TRIGGER_SCHEMA = 'customer_data' ORDER BY 1`,
    ),
    rows: await Promise.all(
      ['products', 'prices', 'stock', 'customers', 'api_keys', 'import_runs', 'terms_changes'].map((table) =>
        server.sql(`SELECT * FROM customer_data.${table} ORDER BY 1, 2`),
      ),
    ),
  });
  const versions = async () =>
    (await server.sql('SELECT Version FROM customer_data.content_versions')).map(({ Version }) => Version);
  const bodies = () => server.serving(key, (get) => Promise.all(DATA.map(async (path) => (await get(path)).text())));

  test('the commands of the page restore a backup, also if the server refuses triggers at first (decision 215)', async () => {
    const before = { content: await content(), bodies: await bodies(), versions: await versions() };
    expect(before.content.triggers.length).toBeGreaterThan(20);
    const { operator } = server;
    operator.useAccount(server.urls.service);
    await operator.run(codeOf('Back up', 'sh', database));
    const backup = readFileSync(join(operator.path, 'backup.sql'), 'utf8');
    expect(backup).toMatch(/^-- Dump completed on .*$/m);
    expect(backup).not.toMatch(/TRIGGER|DEFINER/);

    await server.load(stockFile('A-ONLY', '1'));
    await server.sql('SET GLOBAL log_bin_trust_function_creators = 0');
    operator.useAccount(server.urls.owner);
    expect(await operator.run(codeOf('Restore everything', 'sh', database, 3))).toBe('');
    const complete = codeOf('Restore everything', 'sh', database, 4);
    await expect(operator.run(complete)).rejects.toThrow('SET GLOBAL log_bin_trust_function_creators = 1');
    await server.install(2);
    expect(await operator.run(complete)).toMatch(/^The schema is current\.\nRan InitialSchema/);
    const check = codeOf('Restore everything', 'sh', database, 5);
    expect(await operator.run(check)).toMatch(/: 0 without a document, 0 with/);

    expect(await content()).toEqual(before.content);
    expect(await bodies()).toEqual(before.bodies);
    const renewed = await versions();
    expect(renewed.length).toBe(before.versions.length);
    expect(renewed.filter((version) => before.versions.includes(version))).toEqual([]);
  }, 120_000);
});
