import { DocumentReader } from '../src/catalog/document-reader.js';
import { Product } from '../src/catalog/product.entity.js';
import { skusOf } from '../src/database/sku-conditions.js';
import { serializationHash } from '../src/resource/serialization-hash.js';
import { responsesOf, difference, documentsOf, ENDPOINTS } from './support/expected-responses.js';
import { BEGIN, foreignConnection } from './support/foreign-connection.js';
import { importFiles } from './support/import-files.js';
import { catalogueFiles, firstFiles, type ForeignStatement, foreignStatement, SKUS } from './support/random-edits.js';
import { SeededRandom } from './support/seeded-random.js';
import { lockWait } from './support/server-sessions.js';
import { tableCells } from './support/table-cells.js';
import { engine, TestDatabase, TestService } from './support/test-service.js';

const SHAPE = serializationHash(Product);
const CUSTOMERS = ['C0', 'C1'];
const STEPS = 18;
/** Large enough that every kind of statement occurs, whatever values the random generator chooses. */
const STATEMENTS_A_STEP = 12;

let service: TestService;
const tokens: Record<string, string> = {};
beforeAll(async () => {
  service = await TestService.start({ JWT_SECRET: 's'.repeat(40) });
  await service.database.load(firstFiles(new SeededRandom(0)));
  for (const code of CUSTOMERS) tokens[code] = await service.token(code);
});
afterAll(() => service.close());

const sql = (statements: string | string[], parameters?: unknown[]) => service.database.sql(statements, parameters);
const importing = async (files: Record<string, string>, ...options: string[]) =>
  service.database.cli('import', await service.database.files(files), ...options);

/** Returns the stored documents of the current serialization, by SKU. */
async function storedDocuments(): Promise<Map<string, string>> {
  const rows = await sql('SELECT SKU, Document FROM product_documents WHERE Shape = ?', [SHAPE]);
  return new Map(rows.map(({ SKU, Document }) => [String(SKU), String(Document)]));
}

/** Expects that responses and stored documents match the rows. @returns SKUs without a document */
async function expectAllConsistent(what: string): Promise<string[]> {
  const read = await tableCells(service.database);
  for (const code of CUSTOMERS) {
    const expected = responsesOf(read, code);
    for (const path of ENDPOINTS) {
      const body = Buffer.from(await service.text(path, tokens[code]!));
      expect([what, code, path, difference(expected[path], body)]).toEqual([what, code, path, undefined]);
    }
  }
  const documents = documentsOf(read);
  const stored = await storedDocuments();
  for (const [sku, document] of stored) expect([what, sku, document]).toEqual([what, sku, documents.get(sku)]);
  return [...documents.keys()].filter((sku) => !stored.has(sku));
}

/** Runs all statements in one transaction, even if some fail. @returns the successful statements */
async function runForeign(statements: ForeignStatement[], end: 'COMMIT' | 'ROLLBACK'): Promise<ForeignStatement[]> {
  const succeeded: ForeignStatement[] = [];
  const connection = await foreignConnection(service.database);
  await connection.run(BEGIN);
  for (const statement of statements)
    await connection.run(statement.sql, statement.parameters).then(
      () => succeeded.push(statement),
      () => undefined,
    );
  await connection.run(end);
  await connection.close();
  return succeeded;
}

describe('responses and stored documents match the rows', () => {
  const done = new Set<string>();

  test.each([1, 2, 3])('after random imports and statements of other programs, with seed %i', async (seed) => {
    const random = new SeededRandom(seed);
    for (let step = 0; step < STEPS; step++) {
      const what = `seed ${seed}, step ${step}`;
      if (random.chance(0.4)) {
        const options = random.of([[], [], ['--dry-run'], ['--replace', '--allow-removals']]);
        const skus = options.includes('--replace') ? SKUS : random.some(SKUS);
        const outcome = await importing(catalogueFiles(random, skus, 12), ...options);
        expect([what, outcome]).toEqual([what, expect.objectContaining({ code: 0 })]);
        const missing = await expectAllConsistent(`${what}, ${options.join(' ')}`);
        if (!options.includes('--dry-run')) expect([what, missing]).toEqual([what, []]);
      } else {
        const statements = Array.from({ length: STATEMENTS_A_STEP }, () => foreignStatement(random));
        const end = random.chance(0.8) ? 'COMMIT' : 'ROLLBACK';
        for (const { kind } of await runForeign(statements, end)) done.add(kind);
        await expectAllConsistent(`${what}, ${JSON.stringify(statements)}, ${end}`);
      }
    }
  });

  test('after successful statements of every kind', () => {
    const arrays = ['product_images', 'product_accessories', 'product_substitutions', 'product_composition'];
    const kinds = ['insert', 'delete'].flatMap((verb) =>
      [...arrays, 'prices', 'stock'].map((table) => `${verb} ${table}`),
    );
    kinds.push('update products', 'update many of products', 'replace products', 'delete products', 'move');
    expect(kinds.filter((kind) => !done.has(kind))).toEqual([]);
  });
});

/** Loads a small catalogue with a document of each product. */
async function begin(): Promise<void> {
  const { code } = await importing(
    {
      ...importFiles({
        'price_lists.csv': [
          ['L0', 'List', 'EUR'],
          ['L1', 'List', 'EUR'],
        ],
        'warehouses.csv': [['W0'], ['W1']],
        'products.csv': ['A', 'B', 'C', 'D'].map((sku) => [sku, 'one']),
        'product_images.csv': ['A', 'B'].map((sku) => [sku, '1', 'one.jpg', 'true']),
        'prices.csv': ['A', 'B', 'C', 'D'].map((sku) => ['L0', sku, '1', '', '', 'true']),
        'stock.csv': ['A', 'B'].map((sku) => ['W0', sku, '1']),
      }),
    },
    '--replace',
    '--allow-removals',
  );
  expect([code, await expectAllConsistent('begin')]).toEqual([0, []]);
}

describe('documents match the rows', () => {
  beforeEach(begin);

  test('after an import whose column map fills only some columns', async () => {
    const folder = await service.database.files({
      'titles.csv': 'sku,title\nA,two\n',
      'titles.yaml': 'products:\n  columns:\n    SKU: sku\n    Name: title\n',
    });
    await service.database.cliOk('import', `${folder}/titles.csv`, '--map', `${folder}/titles.yaml`);
    expect(await expectAllConsistent('map')).toEqual([]);
    expect((await storedDocuments()).get('A')).toContain('"Name":"two"');
  });

  test('after a refused import, which changes no document', async () => {
    const before = await storedDocuments();
    const files = importFiles({ 'products.csv': [['A', 'two']], 'stock.csv': [['W0', 'nowhere', '1']] });
    expect((await importing(files)).code).toBe(1);
    expect(await storedDocuments()).toEqual(before);
  });

  test('after an import of unchanged rows, which rebuilds no document', async () => {
    await sql(`UPDATE product_documents SET Document = 'sentinel' WHERE SKU = 'A'`);
    await importing(importFiles({ 'products.csv': [['A', 'one']] }));
    expect((await storedDocuments()).get('A')).toBe('sentinel');
    await service.database.cliOk('documents', 'build', '--all');
  });

  test('after an import of an unpriced and an obsolete product, which also get documents', async () => {
    await importing(importFiles({ 'products.csv': [['E', ...Array(22).fill(''), 'OBSOLETE'], ['F']] as string[][] }));
    expect(await expectAllConsistent('more')).toEqual([]);
    expect([...(await storedDocuments()).keys()]).toEqual(expect.arrayContaining(['E', 'F']));
  });

  test('after another program changes a SKU, which deletes the document', async () => {
    await sql(`INSERT INTO products (SKU, Name) VALUES ('G', 'without anything that refers to it')`);
    await service.database.cliOk('documents', 'build');
    await sql(`UPDATE products SET SKU = 'H' WHERE SKU = 'G'`);
    expect(await expectAllConsistent('rename')).toEqual(['H']);
  });

  test('after array rows move to another product, with foreign keys on and off', async () => {
    const unchecked = engine === 'sqlite' ? 'PRAGMA foreign_keys = OFF' : 'SET FOREIGN_KEY_CHECKS = 0';
    await sql(`UPDATE product_images SET SKU = 'C' WHERE SKU = 'A'`);
    await expectAllConsistent('move');
    await sql([unchecked, `UPDATE product_images SET SKU = 'A' WHERE SKU = 'C'`]);
    await expectAllConsistent('move back');
    await sql([unchecked, `DELETE FROM products WHERE SKU = 'B'`]);
    await expectAllConsistent('delete');
    // The arrays of the deleted product are still stored, between those of other products.
    expect(await service.database.cliOk('documents', 'build', '--all')).toBe('Made 3 document(s).');
    await expectAllConsistent('built beside them');
    await sql([unchecked, `INSERT INTO products (SKU, Name) VALUES ('B', 'again')`]);
    expect(await expectAllConsistent('insert')).toContain('B');
  });

  test('after an import if another program has damaged a row, so that only its product has no document', async () => {
    await sql(`UPDATE product_images SET IsPrimaryImage = 7 WHERE SKU = 'B'`);
    const names = ['A', 'B', 'C', 'D'].map((sku) => [sku, 'three']);
    expect(await importing(importFiles({ 'products.csv': names }))).toMatchObject({ code: 0 });
    expect([...(await storedDocuments()).keys()].toSorted()).toEqual(['A', 'C', 'D']);
    expect((await service.get('/products', tokens.C0)).status).toBe(500);
    expect(await service.database.cli('documents', 'check')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('4 product(s): 1 without'),
    });
    await sql(`UPDATE product_images SET IsPrimaryImage = 0 WHERE SKU = 'B'`);
    expect(await expectAllConsistent('fixed')).toEqual(['B']);
  });

  test('after an import replaces documents that responses ignore because of their serialization hash', async () => {
    await sql(`UPDATE product_documents SET Shape = 'other', Document = 'nonsense'`);
    expect(await expectAllConsistent('other shape')).toHaveLength(4);
    await importing(importFiles({ 'products.csv': [['A', 'four']] }));
    expect(await expectAllConsistent('after an import')).toEqual([]);
  });

  test('after documents check and documents build, which report and fix missing and different documents', async () => {
    const check = () => service.database.cli('documents', 'check');
    expect(await check()).toMatchObject({ code: 0, stdout: expect.stringContaining('4 product(s): 0 without') });
    await sql(`DELETE FROM product_documents WHERE SKU = 'A'`);
    await sql(`UPDATE product_documents SET Document = 'nonsense' WHERE SKU = 'B'`);
    expect(await check()).toMatchObject({ code: 1, stderr: expect.stringMatching(/differ from their rows: B\./) });
    expect(await service.database.cliOk('documents', 'build')).toBe('Made 1 document(s).');
    expect((await check()).code).toBe(1);
    expect(await service.database.cliOk('documents', 'build', '--all')).toBe('Made 4 document(s).');
    expect((await check()).code).toBe(0);
    expect(await expectAllConsistent('fixed')).toEqual([]);
  });

  test('after documents build stores documents that exceed one statement', async () => {
    const long = `it's "q" \\ \u{1F3A9}`.repeat(3500);
    for (const sku of ['A', 'B', 'C', 'D'])
      await sql('UPDATE products SET Description = ?, WebsiteDescription = ?, WhatsIncluded = ? WHERE SKU = ?', [
        long,
        long,
        long,
        sku,
      ]);
    expect(await service.database.cliOk('documents', 'build')).toBe('Made 4 document(s).');
    expect(await expectAllConsistent('long')).toEqual([]);
  });
});

test('the products without a document are read in portions of at most a million bytes', async () => {
  const skus = Array.from({ length: 8 }, (_, index) => `LONG-${index}`);
  const long = 'é'.repeat(30_000);
  const row = (sku: string) => [sku, 'Long', 'ACTIVE', ...Array.from({ length: 5 }, () => long)].join();
  const header =
    'SKU,Name,Status,Description,WebsiteDescription,WashingInstructions,WhatsIncluded,ProductCompositionText';
  expect(await importing({ 'products.csv': [header, ...skus.map(row)].join('\n') })).toMatchObject({ code: 0 });
  await sql('DELETE FROM product_documents');
  const portions = [];
  for await (const rows of new DocumentReader().missing(async (text, values = []) => sql(text, [...values])))
    portions.push(skusOf(rows).filter((sku) => skus.includes(sku)));
  expect(portions.flat()).toEqual(skus);
  expect(Math.max(...portions.map(({ length }) => length))).toBe(3);
});

/** Changes a product in another transaction, which starts before `work` and commits while `work` waits for it. */
async function changeMeanwhile(work: () => Promise<unknown>): Promise<void> {
  // Deletes the document, so that the transactions do not wait for each other because of it.
  await sql(`UPDATE products SET Name = 'before' WHERE SKU = 'A'`);
  const foreign = await foreignConnection(service.database);
  await foreign.run('START TRANSACTION');
  await foreign.run(`UPDATE products SET Name = 'after' WHERE SKU = 'A'`);
  const working = work();
  await lockWait(service.database);
  await foreign.run('COMMIT');
  await working;
  await expectAllConsistent('committed meanwhile');
}

// SQLite allows one writer at a time, so this cannot happen there.
if (engine === 'mysql')
  describe('while a transaction of another program changes a product', () => {
    beforeEach(begin);

    test.each(['build', 'build --all'])('documents %s stores no outdated document', (command) =>
      changeMeanwhile(() => service.database.cliOk('documents', ...command.split(' '))),
    );

    test('an import stores no outdated document', () =>
      changeMeanwhile(() => importing(importFiles({ 'products.csv': [['B', 'changed by it']] }))));
  });

if (engine === 'mysql')
  describe.each(['READ COMMITTED', 'REPEATABLE READ'])(
    'a statement of another program, %s, during documents build',
    (level) => {
      beforeEach(begin);

      test.each([
        [`UPDATE product_images SET FileName = 'two.jpg' WHERE SKU = 'B'`],
        [`UPDATE products SET Name = 'two' WHERE SKU = 'B'`],
        [`DELETE FROM product_images WHERE SKU = 'B'`],
        [`INSERT INTO product_images (SKU, ImageID) VALUES ('B', '2')`],
      ])('waits until the build commits, and then deletes the outdated document: %s', async (statement) => {
        const [stopper, foreign] = [
          await foreignConnection(service.database),
          await foreignConnection(service.database),
        ];
        await sql('DELETE FROM product_documents');
        await stopper.run('START TRANSACTION');
        await stopper.run(`INSERT INTO product_documents (SKU, Shape, Document) VALUES ('A', '', '')`);
        const building = service.database.cli('documents', 'build');
        await lockWait(service.database);
        await foreign.run(`SET SESSION TRANSACTION ISOLATION LEVEL ${level}`);
        const changing = foreign.run(statement).then(() => 'done', String);
        await lockWait(service.database, 2);
        await stopper.run('ROLLBACK');
        expect(await building).toMatchObject({ code: 0 });
        expect(await changing).toBe('done');
        expect(await expectAllConsistent(statement)).toEqual(['B']);
      });
    },
  );

test('documents build --all restores lost versions', async () => {
  await begin();
  const parts = 'SELECT Part, Code FROM content_versions ORDER BY Part, Code';
  await sql('DELETE FROM content_versions');
  await service.database.cliOk('documents', 'build', '--all');
  expect((await sql(parts)).map(({ Part, Code }) => `${Part}:${Code}`)).toEqual([
    'prices:L0',
    'prices:L1',
    'products:',
    'stock:W0',
    'stock:W1',
  ]);
});

test('documents build --all renews all of 11,000 versions', async () => {
  await begin();
  const codes = Array.from({ length: 11_000 }, (_, index) => [`X${index}`, '', 'EUR']);
  await service.database.load(importFiles({ 'price_lists.csv': codes }));
  const versions = 'SELECT DISTINCT Version FROM content_versions';
  expect((await sql(versions)).length).toBeGreaterThan(1);
  await service.database.cliOk('documents', 'build', '--all');
  expect(await sql(versions)).toHaveLength(1);
});

test('a service that cannot store documents at its start logs a warning and becomes ready', async () => {
  const database = await TestDatabase.create();
  const stop = engine === 'sqlite' ? `BEGIN SELECT RAISE(ABORT, 'no'); END` : `SIGNAL SQLSTATE '45000'`;
  await database.sql(`CREATE TRIGGER refused BEFORE UPDATE ON content_versions FOR EACH ROW ${stop}`);
  const started = await TestService.start({ MIGRATE_ON_START: 'true' }, database);
  expect((await started.get('/health')).status).toBe(200);
  expect(started.log.join('\n')).toContain('The product documents could not be built');
  await started.close();
});

test('a service that finds documents of another release at its start logs how to build them, and writes none (decision 213)', async () => {
  await begin();
  const { database } = service;
  /** Starts a service that may not migrate. @returns its log */
  const logOfStart = async () => {
    const started = await TestService.start({ MIGRATE_ON_START: 'false' }, database);
    await started.stop();
    return started.log.join('\n');
  };
  expect(await logOfStart()).not.toContain('documents');
  await sql(`UPDATE product_documents SET Shape = 'of-other-release'`);
  expect(await logOfStart()).toContain('run: node dist/cli.js documents build');
  expect(await storedDocuments()).toEqual(new Map());
  await database.cliOk('documents', 'build');
  expect(await logOfStart()).not.toContain('documents');
});
