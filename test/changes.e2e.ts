import { IMPORT_TABLES } from '../src/import/import-tables.js';
import { applied, deltaSince, type KeptState, sorted, wholeState } from './support/change-oracle.js';
import { CHANGING } from './support/data-endpoints.js';
import { fillEmptyTables } from './support/filled-tables.js';
import { BEGIN, foreignConnection } from './support/foreign-connection.js';
import { catalogueFiles, firstFiles, foreignStatement, SKUS } from './support/random-edits.js';
import { SeededRandom } from './support/seeded-random.js';
import { engine, TestService } from './support/test-service.js';

const CUSTOMERS = ['C0', 'C1'];
const STEPS = 25;
/** How many states of each path and customer the client keeps. */
const KEPT = 8;
const SEED = Number(process.env.CHANGES_SEED ?? Math.floor(Math.random() * 1e9));

let service: TestService;
const tokens: Record<string, string> = {};
const random = new SeededRandom(SEED);

beforeAll(async () => {
  service = await TestService.start({ JWT_SECRET: 's'.repeat(40) });
  await service.database.load(firstFiles(random));
  await fillEmptyTables(service.database, { PriceListCode: 'L0', WarehouseCode: 'W0' });
  for (const code of CUSTOMERS) tokens[code] = await service.token(code);
});
afterAll(() => service.close());

const sql = (statements: string | string[], parameters?: unknown[]) => service.database.sql(statements, parameters);

/** The tables in the order of their references. The tables that triggers change come last. */
const CHANGED_BY_TRIGGERS = ['content_versions', 'version_history', 'changed_skus', 'product_documents'];
const TABLES = [...IMPORT_TABLES.map(({ name }) => name), ...CHANGED_BY_TRIGGERS];
/** The tables of the log, which only /changes reads. */
const LOG = ['version_history', 'changed_skus'];
type Backup = ReadonlyMap<string, readonly Record<string, unknown>[]>;

async function backUp(): Promise<Backup> {
  const rows = new Map<string, Record<string, unknown>[]>();
  for (const table of TABLES) rows.set(table, await sql(`SELECT * FROM ${table}`));
  return rows;
}

/**
 * Restores the rows of a backup and the versions in it, as restoring a dump does.
 * @param kept tables that it does not change
 */
async function restore(backup: Backup, kept: readonly string[] = []): Promise<void> {
  const restored = TABLES.filter((table) => !kept.includes(table));
  const connection = await foreignConnection(service.database);
  await connection.run(BEGIN);
  if (engine === 'mysql') await connection.run('SET @customer_data_import = 1');
  // Other tables refer to the deleted rows until they are restored, so foreign keys are checked only at the end, or not
  // at all.
  if (engine === 'mysql') await connection.run('SET FOREIGN_KEY_CHECKS = 0');
  else await connection.run('PRAGMA defer_foreign_keys = ON');
  for (const table of restored.toReversed()) if (table !== 'customers') await connection.run(`DELETE FROM ${table}`);
  const insert = async (table: string, row: Record<string, unknown>) => {
    const columns = Object.keys(row);
    const verb = table === 'content_versions' ? 'REPLACE' : 'INSERT';
    const values = columns.map(() => '?').join();
    await connection.run(`${verb} INTO ${table} (${columns.join()}) VALUES (${values})`, Object.values(row));
  };
  for (const table of restored)
    for (const row of backup.get(table)!)
      if (table === 'customers') {
        const assignments = Object.keys(row).map((column) => `${column} = ?`);
        const update = `UPDATE customers SET ${assignments.join()} WHERE CustomerCode = ?`;
        await connection.run(update, [...Object.values(row), row.CustomerCode]);
      } else await insert(table, row);
  if (engine === 'sqlite') {
    // On SQLite, triggers have changed these tables in the meantime.
    for (const table of CHANGED_BY_TRIGGERS.filter((name) => restored.includes(name))) {
      await connection.run(`DELETE FROM ${table}`);
      for (const row of backup.get(table)!) await insert(table, row);
    }
  }
  if (engine === 'mysql') await connection.run('SET FOREIGN_KEY_CHECKS = 1');
  if (engine === 'mysql') await connection.run('SET @customer_data_import = NULL');
  await connection.run('COMMIT');
  await connection.close();
}

const backups: Backup[] = [];

/** Everything that may happen to a database between two polls. */
const EVENTS: Record<string, () => Promise<unknown>> = {
  'an import': () => importing(ordinary(random.some(SKUS), 6)),
  'a small import': () => importing(ordinary(random.some(SKUS, 0.2), 3)),
  'every file imported': () => importing(catalogueFiles(random, random.some(SKUS), 6)),
  'an import that removes rows': () => importing(ordinary(SKUS, 20), '--replace', '--allow-removals'),
  'a complete import': () => importing(catalogueFiles(random, SKUS, 20), '--replace', '--allow-removals'),
  'a dry run': () => importing(catalogueFiles(random, SKUS, 12), '--dry-run'),
  'another program': () => foreign('COMMIT'),
  'another program that rolls back': () => foreign('ROLLBACK'),
  'other terms': () => service.database.cli('customer', 'set', random.of(CUSTOMERS), ...terms()),
  'documents rebuilt': () => service.database.cliOk('documents', 'build', '--all'),
  'an import of the previous release': () => previousRelease(),
  'a backup': async () => backups.push(await backUp()),
  'a restore': async () => backups.length && restore(random.of(backups)),
  'a restore that leaves tables of the log as they are': async () =>
    backups.length && restore(random.of(backups), random.of([LOG, [LOG[0]!], [LOG[1]!]])),
  'a table of the log that is emptied': () => sql(`DELETE FROM ${random.of([...LOG, 'content_versions'])}`),
};

/** Files without price lists and warehouses: most imports do not change them, and a change starts the log again. */
function ordinary(skus: readonly string[], rows: number): Record<string, string> {
  const files = catalogueFiles(random, skus, rows);
  delete files['price_lists.csv'];
  delete files['warehouses.csv'];
  return files;
}

const terms = () => {
  const options = { discount: ['0', '12.5', '20'], 'price-list': ['L0', 'L1'], warehouse: ['W0', 'W1'] };
  const chosen = Object.entries(options).flatMap(([name, values]) => [`--${name}`, random.of(values)]);
  return [...chosen, '--allow-price-changes'];
};

async function importing(files: Record<string, string>, ...options: string[]): Promise<void> {
  const outcome = await service.database.cli(
    'import',
    '--allow-price-changes',
    '--allow-zero-stock',
    ...options,
    await service.database.files(files),
  );
  // Another program may have removed a price list or warehouse of these files. Then the import writes nothing.
  if (outcome.code !== 0 && !outcome.stderr.includes('" is unknown: ')) throw new Error(outcome.stderr);
}

async function foreign(end: 'COMMIT' | 'ROLLBACK'): Promise<void> {
  const connection = await foreignConnection(service.database);
  await connection.run(BEGIN);
  for (let count = 0; count < 4; count++) {
    const { sql: statement, parameters } = foreignStatement(random);
    await connection.run(statement, parameters).catch(() => undefined);
  }
  await connection.run(end);
  await connection.close();
}

/** Gives a part a new version without writing the log, as the previous release does. */
async function previousRelease(): Promise<void> {
  const [row] = await sql('SELECT Part, Code FROM content_versions ORDER BY Version LIMIT 1');
  // An earlier event has emptied the table.
  if (!row) return;
  await sql(`UPDATE products SET Name = 'previous release'`);
  await sql('UPDATE content_versions SET Version = ? WHERE Part = ? AND Code = ?', [
    `old-${random.next()}`,
    row.Part,
    row.Code,
  ]);
}

/** The SKUs on the customer's price list now. */
async function listed(): Promise<Map<string, Set<string>>> {
  const rows = await sql(
    'SELECT CustomerCode, SKU FROM customers JOIN prices ON prices.PriceListCode = customers.PriceListCode',
  );
  return new Map(
    CUSTOMERS.map((code) => [
      code,
      new Set(rows.filter((row) => row.CustomerCode === code).map(({ SKU }) => String(SKU))),
    ]),
  );
}

interface Kept extends KeptState {
  /** The step at which the client received this state. */
  step: number;
}

test(`a delta turns any earlier response into the current one (CHANGES_SEED=${SEED})`, async () => {
  const kept = new Map<string, Kept[]>();
  const lists: Map<string, Set<string>>[] = [];
  const counts = { complete: 0, delta: 0, gone: 0 };
  const happened: string[] = [];
  for (let step = 0; step < STEPS; step++) {
    if (step) {
      const ordinaryEvents = Object.keys(EVENTS).filter((name) => /^(an|a small) import/.test(name));
      const event = random.of(random.chance(0.7) ? ordinaryEvents : Object.keys(EVENTS));
      happened.push(event);
      await EVENTS[event]!();
    }
    lists.push(await listed());
    for (const code of CUSTOMERS)
      for (const path of CHANGING) {
        const what = `seed ${SEED}, step ${step}, ${code} ${path}: ${happened.join(', ')}`;
        const whole = await wholeState(service, path, tokens[code]!);
        const bases = kept.get(`${code} ${path}`) ?? [];
        for (const base of bases.slice()) {
          const delta = await deltaSince(service, path, tokens[code]!, base.etag);
          expect([what, sorted(applied(base, delta))]).toEqual([what, sorted(whole)]);
          // Applying the delta a second time, to the new state of the client, does no harm.
          expect([what, sorted(applied(applied(base, delta), delta))]).toEqual([what, sorted(whole)]);
          expect([what, sorted(applied(whole, delta))]).toEqual([what, sorted(whole)]);
          if (delta) counts[delta.complete ? 'complete' : 'delta']++;
          counts.gone += delta?.gone.length ?? 0;
          const seen = new Set(lists.slice(base.step).flatMap((list) => [...list.get(code)!]));
          expect([what, delta?.gone.filter((sku) => !seen.has(sku)) ?? []]).toEqual([what, []]);
          if (delta && random.chance(0.2)) bases.push({ ...applied(base, delta), step });
        }
        if (bases.length > 1) {
          const several = random.some(bases, 0.4);
          const delta = await deltaSince(service, path, tokens[code]!, ...several.map(({ etag }) => etag));
          for (const base of several) expect([what, sorted(applied(base, delta))]).toEqual([what, sorted(whole)]);
        }
        expect([what, await deltaSince(service, path, tokens[code]!, whole.etag)]).toEqual([what, undefined]);
        bases.push({ ...whole, step });
        while (bases.length > KEPT) bases.splice(Math.floor(random.next() * bases.length), 1);
        kept.set(`${code} ${path}`, bases);
      }
  }
  process.stderr.write(`${JSON.stringify(counts)}\n`);
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(0);
}, 120_000);
