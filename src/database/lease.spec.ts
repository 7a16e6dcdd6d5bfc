import type { DataSource } from 'typeorm';
import { Lease, type LeaseTerms } from './lease.js';
import type { Row } from './query.js';

type Done = (error: Error | null, rows: Row[]) => void;

/** A pooled mysql2 connection, with what a lease did to it. */
class Connection {
  released = 0;
  destroyed = 0;

  /** The methods that received a statement. */
  readonly methods: string[] = [];

  constructor(
    private readonly respond: (done: Done) => void,
    private readonly respondToPrepared = respond,
  ) {}

  query(_options: object, _parameters: unknown[], done: Done): void {
    this.methods.push('query');
    this.respond(done);
  }

  execute(_options: object, _parameters: unknown[], done: Done): void {
    this.methods.push('execute');
    this.respondToPrepared(done);
  }

  release(): void {
    this.released++;
  }

  destroy(): void {
    this.destroyed++;
  }
}

const rows = [{ one: 1 }];
const responds = (done: Done) => setImmediate(done, null, rows);
const hangs = () => undefined;
const fails = (properties: object) => (done: Done) =>
  void setImmediate(done, Object.assign(new Error('it failed'), properties), []);

let terms: LeaseTerms;
beforeEach(() => {
  terms = { wait: 1500, load: { name: 'lookup', size: 2, inUse: 0, waiting: 0 }, server: { silentSince: 0 } };
});

/** A pool that provides these connections one after the other. */
function poolOf(...connections: Connection[]): DataSource {
  const obtainMasterConnection = () => Promise.resolve(connections.shift());
  return { driver: { obtainMasterConnection } } as unknown as DataSource;
}

/** Runs one statement in a pool of these connections. */
async function lookUp(...connections: Connection[]): Promise<Row[]> {
  const running = Lease.begin(poolOf(...connections), terms, { sql: 'SELECT ?', parameters: [1] });
  expect(terms.load).toMatchObject({ inUse: 0, waiting: 1 });
  try {
    const started = await running;
    expect(terms.load).toMatchObject({ inUse: 1, waiting: 0 });
    started.lease.release();
    return started.rows;
  } finally {
    expect(terms.load).toMatchObject({ inUse: 0, waiting: 0 });
  }
}

test('a statement counts as waiting, then as in use, and gives its connection back', async () => {
  const connection = new Connection(responds);
  expect(await lookUp(connection)).toEqual(rows);
  expect(connection).toMatchObject({ released: 1, destroyed: 0 });
});

test('a released lease does not use its connection, which another task may have', async () => {
  const connection = new Connection(responds);
  const { lease } = await Lease.begin(poolOf(connection), terms, { sql: 'SELECT 1' });
  lease.release();
  lease.release();
  expect([connection.released, terms.load.inUse]).toEqual([1, 0]);
  await expect(lease.query('SELECT 1')).rejects.toThrow('given back before this statement');
});

test('the connection of a statement that misses its deadline is closed (decision 50)', async () => {
  terms = { ...terms, wait: 50 };
  const [connection, startedAt] = [new Connection(hangs), performance.now()];
  // The timer may fire a fraction of a millisecond before the deadline. The statement then runs once more.
  await expect(lookUp(connection, new Connection(hangs))).rejects.toThrow('The database did not respond within');
  expect(connection).toMatchObject({ released: 0, destroyed: 1 });
  expect(terms.server.silentSince).toBeGreaterThanOrEqual(startedAt);
});

test('a refused statement keeps its error number, and its connection stays in the pool', async () => {
  const connection = new Connection(fails({ errno: 1146, code: 'ER_NO_SUCH_TABLE' }));
  const refusal = {
    message: 'it failed',
    errno: 1146,
    code: 'ER_NO_SUCH_TABLE',
    stack: expect.stringContaining('lease'),
  };
  await expect(lookUp(connection)).rejects.toMatchObject(refusal);
  expect(connection).toMatchObject({ released: 1, destroyed: 0 });
});

test('a statement on a lost connection runs once more, on another connection (decision 120)', async () => {
  const [lost, next] = [new Connection(fails({ fatal: true })), new Connection(responds)];
  expect(await lookUp(lost, next)).toEqual(rows);
  expect([lost.destroyed, next.released]).toEqual([1, 1]);
});

test('a statement on an idle connection that hangs runs once more, within the deadline (decision 120)', async () => {
  const responses = [responds, hangs];
  const idle = new Connection((done) => responses.shift()!(done));
  await lookUp(idle);
  const now = performance.now.bind(performance);
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + 5000);
  expect(await lookUp(idle, new Connection(responds))).toEqual(rows);
  expect(idle.destroyed).toBe(1);
  clock.mockRestore();
});

async function lookUpPrepared(...connections: Connection[]): Promise<Row[]> {
  const statement = { sql: 'SELECT ?', parameters: [1], isPrepared: true };
  const { lease, rows: found } = await Lease.begin(poolOf(...connections), terms, statement);
  lease.release();
  return found;
}

describe('a prepared statement', () => {
  const refuses = fails({ errno: 1461, code: 'ER_MAX_PREPARED_STMT_COUNT_REACHED' });

  test('is prepared', async () => {
    const connection = new Connection(responds);
    expect(await lookUpPrepared(connection)).toEqual(rows);
    expect(connection.methods).toEqual(['execute']);
  });

  test('is sent as text if the server refuses it, and is not prepared again within a minute', async () => {
    const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
    const connection = new Connection(responds, refuses);
    for (const now of [0, 59_000, 61_000]) {
      clock.mockReturnValue(now);
      expect(await lookUpPrepared(connection)).toEqual(rows);
    }
    expect(connection.methods).toEqual(['execute', 'query', 'query', 'execute', 'query']);
    expect(connection).toMatchObject({ released: 3, destroyed: 0 });
    clock.mockRestore();
  });

  test('is prepared again if the server refused its text, too', async () => {
    const connection = new Connection(fails({ errno: 1146, code: 'ER_NO_SUCH_TABLE' }), refuses);
    for (let count = 0; count < 2; count++)
      await expect(lookUpPrepared(connection)).rejects.toMatchObject({ errno: 1146 });
    expect(connection.methods).toEqual(['execute', 'query', 'execute', 'query']);
  });

  test('on a lost connection runs once more, on another connection (decision 120)', async () => {
    const [lost, next] = [new Connection(fails({ fatal: true })), new Connection(responds)];
    expect(await lookUpPrepared(lost, next)).toEqual(rows);
    expect([lost.methods, next.methods]).toEqual([['execute'], ['execute']]);
  });
});
