import { setTimeout as sleep } from 'node:timers/promises';
import { BEGIN, foreignConnection } from './support/foreign-connection.js';
import { call } from './support/http-call.js';
import { importFiles } from './support/import-files.js';
import { SeededRandom } from './support/seeded-random.js';
import { engine, TestService } from './support/test-service.js';

// Tests what clients see while programs write at the same time. The isolation of the server decides some outcomes, so CI
// also runs this file on MariaDB 11.8.

const JWT_SECRET = 's'.repeat(40);
const WRITERS = ['P', 'Q', 'R'];

let service: TestService;
/** Another replica of the same service. */
let other: TestService;
let token: string;
beforeAll(async () => {
  service = await TestService.start({ JWT_SECRET, RESPONSE_CACHE_MEGABYTES: '0' });
  other = await TestService.start({ JWT_SECRET, RESPONSE_CACHE_MEGABYTES: '0' }, service.database);
});
afterAll(async () => {
  await other.stop();
  await service.close();
});

beforeEach(async () => {
  const files = importFiles({
    'price_lists.csv': [['L', 'List', 'EUR']],
    'warehouses.csv': [['W']],
    'products.csv': WRITERS.map((sku) => [sku, 'one']),
    'prices.csv': WRITERS.map((sku) => ['L', sku, '1.50', '', '', 'true']),
    'stock.csv': WRITERS.map((sku) => ['W', sku, '1']),
    'customers.csv': [['C', '', 'L', 'W', '10', '1000000', '1000000']],
  });
  await service.database.load(files, '--replace', '--allow-removals');
  token ??= await service.token('C');
});

const file = (name: string, ...row: string[]) => importFiles({ [name]: [row] });

/**
 * The error of MariaDB's snapshot isolation, which MariaDB has from 10.6 on, and by default from 11.6 on. MySQL has no
 * such variable.
 */
const RECORD_HAS_CHANGED = 1020;
async function hasSnapshotIsolation(): Promise<boolean> {
  const [row] = await service.database.sql(`SHOW VARIABLES LIKE 'innodb_snapshot_isolation'`);
  return row?.Value === 'ON';
}

describe('concurrent writers', () => {
  /** A client that polls with the ETag of its cached body. */
  class PollingClient {
    private cached = { tag: '"none"', body: '' };
    hits = 0;

    async read(from: TestService): Promise<Record<string, number>> {
      const { tag: known, body } = this.cached;
      const headers = { 'If-None-Match': known };
      const response = await call(from.url, { path: '/stock', token, headers });
      if (![200, 304].includes(response.status)) throw new Error(`${response.status} ${response.body}`);
      if (response.status === 304) this.hits++;
      else this.cached = { tag: response.headers.etag!, body: response.body };
      const rows = JSON.parse(response.status === 304 ? body : response.body) as {
        SKU: string;
        AvailableQTY: number;
      }[];
      return Object.fromEntries(rows.map(({ SKU, AvailableQTY }) => [SKU, AvailableQTY]));
    }
  }

  test('show a commit to every later request, with 200 or 304', async () => {
    const random = new SeededRandom(6);
    const client = new PollingClient();
    const committed: Record<string, number> = { P: 0, Q: 0, R: 0 };
    const writing = new AbortController();
    const write = async (sku: string) => {
      const foreign = await foreignConnection(service.database);
      for (let quantity = 2; quantity <= 12; quantity++) {
        await foreign.run(BEGIN);
        await foreign.run('UPDATE stock SET AvailableQTY = ? WHERE SKU = ?', [String(quantity), sku]);
        await sleep(random.next() * 30);
        await foreign.run('COMMIT');
        committed[sku] = quantity;
        const seen = await client.read(random.of([service, other]));
        expect([sku, seen[sku]! >= quantity]).toEqual([sku, true]);
        await sleep(random.next() * 100);
      }
      await foreign.close();
    };
    const importing = async () => {
      for (let price = 1; !writing.signal.aborted; price++) {
        await service.database.load(file('products.csv', 'P', `name ${price}`));
        await service.database.load(file('stock.csv', 'W', 'N', String(price)));
        expect((await client.read(service)).N).toBe(price);
      }
    };
    const polling = async () => {
      while (!writing.signal.aborted) {
        const known = { ...committed };
        const seen = await client.read(random.of([service, other]));
        for (const sku of WRITERS) expect([sku, seen[sku]! >= known[sku]!]).toEqual([sku, true]);
      }
    };
    await service.database.load(
      importFiles({
        'products.csv': [['N']],
        'prices.csv': [['L', 'N', '1', '', '', 'true']],
        'stock.csv': [['W', 'N', '0']],
      }),
    );
    const background = Promise.all([importing(), polling(), polling()]);
    await Promise.race([background, Promise.all(WRITERS.map(write))]);
    writing.abort();
    await background;
    // Without a 304, the test would be meaningless.
    expect(client.hits).toBeGreaterThan(0);
  });

  if (engine === 'mysql')
    test('show commits in order, even of transactions that overlap', async () => {
      const client = new PollingClient();
      const [first, second, third] = await Promise.all([1, 2, 3].map(() => foreignConnection(service.database)));
      const all = [first!, second!, third!];
      for (const connection of all) {
        await connection.run('START TRANSACTION WITH CONSISTENT SNAPSHOT');
        await connection.run('SELECT * FROM stock');
      }
      await client.read(service);
      await first!.run(`UPDATE stock SET AvailableQTY = 11 WHERE WarehouseCode = 'W' AND SKU = 'P'`);
      await second!.run(`UPDATE products SET Name = 'two' WHERE SKU = 'Q'`);
      expect(await client.read(service)).toMatchObject({ P: 1, Q: 1, R: 1 });
      await second!.run('COMMIT');
      expect(await client.read(other)).toMatchObject({ P: 1, Q: 1, R: 1 });
      const change = `UPDATE stock SET AvailableQTY = 13 WHERE WarehouseCode = 'W' AND SKU = 'R'`;
      const waiting = third!.run(change).then(
        () => undefined,
        ({ errno }: { errno?: number }) => errno,
      );
      await sleep(200);
      await first!.run('COMMIT');
      expect(await client.read(service)).toMatchObject({ P: 11, R: 1 });
      // With snapshot isolation, MariaDB rejects a change of a row that the transaction's snapshot does not show
      // (docs/decisions.md#156).
      const refused = await waiting;
      expect(refused).toBe((await hasSnapshotIsolation()) ? RECORD_HAS_CHANGED : undefined);
      if (refused) for (const statement of ['ROLLBACK', 'START TRANSACTION', change]) await third!.run(statement);
      expect(await client.read(service)).toMatchObject({ P: 11, R: 1 });
      await third!.run('COMMIT');
      expect(await client.read(other)).toMatchObject({ P: 11, R: 13 });
      for (const connection of all) await connection.close();
    });
});
