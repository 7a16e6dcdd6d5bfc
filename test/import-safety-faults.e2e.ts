import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describeMounting, describeUnless, MOUNTING } from './support/describe-with.js';
import { latestRuns } from './support/import-runs.js';
import { largeCatalogue, stateOf, touch } from './support/large-catalogue.js';
import { startPrivateServer } from './support/private-server.mjs';
import { RunningCommand } from './support/running-command.js';
import { killSessionsOn } from './support/server-sessions.js';
import { TcpProxy } from './support/tcp-proxy.js';
import { engine, TestDatabase } from './support/test-service.js';

const PRODUCTS = 3000;

/** The database of the current test. */
let database: TestDatabase;
let before: string;
const databases: TestDatabase[] = [];
let folders: { old: string; next: string; small: string };
beforeAll(async () => {
  database = await TestDatabase.create();
  databases.push(database);
  folders = {
    old: await database.files(largeCatalogue(1, PRODUCTS)),
    next: await database.files(largeCatalogue(2, PRODUCTS)),
    small: await database.files(largeCatalogue(1, 100)),
  };
});
afterAll(() => Promise.all(databases.map((one) => one.drop())));

async function load(folder: string): Promise<void> {
  await database.cliOk('import', folder);
  before = await stateOf(database);
}

/** What interrupts a statement on a lost connection. Later statements find that the "connection is in closed state". */
const LOST = /[Cc]onnection (?!is in closed state)|ECONN|EPIPE/;

/** Starts an import of the next version and suspends it halfway. */
async function halfDone(url = database.url): Promise<RunningCommand> {
  const command = RunningCommand.start(url, ['import', folders.next]);
  await command.printing(/rows of products read/);
  command.signal('SIGSTOP');
  return command;
}

/** Expects that the command failed for the reason, that the old data remain, and that another import succeeds. */
async function failed(command: RunningCommand, reason: RegExp, outcome: 'failed' | null = 'failed'): Promise<void> {
  const { code, stdout, stderr } = await command.ended;
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  // The progress is followed by one line, without a stack trace.
  expect(stderr).toMatch(new RegExp(`^(\\w+\\.csv: \\d+ rows of .*\\n)+Failed: .*(${reason.source}).*\\n$`));
  const [run] = await latestRuns(database, 1);
  expect(run).toMatchObject({ Outcome: outcome, Tables: null });
  if (outcome) expect(run!.Message).toMatch(reason);
  expect(await stateOf(database)).toBe(before);
  await touch(database);
}

if (engine === 'mysql') {
  describe('an import', () => {
    let proxy: TcpProxy;
    let url: string;
    beforeAll(() => load(folders.old));
    beforeEach(async () => {
      proxy = new TcpProxy(database.url);
      url = await proxy.reservedUrl();
      await proxy.open();
    });
    afterEach(() => proxy.close());

    test('that loses its server leaves the old data and an unfinished record', async () => {
      const command = await halfDone(url);
      proxy.close();
      command.signal('SIGCONT');
      await failed(command, LOST, null);
    });

    test('that loses its connection to a reachable server leaves the old data and is recorded as failed', async () => {
      const command = await halfDone(url);
      proxy.cut();
      command.signal('SIGCONT');
      await failed(command, LOST);
    });

    test('whose connection the server kills leaves the old data and is recorded as failed', async () => {
      const command = await halfDone();
      expect(await killSessionsOn(database)).toBeGreaterThan(0);
      command.signal('SIGCONT');
      await failed(command, LOST);
    });

    test('that loses only the response to COMMIT reports success, because the data are written', async () => {
      const command = await halfDone(url);
      proxy.cutAfter('COMMIT');
      command.signal('SIGCONT');
      const { code, stdout, stderr } = await command.ended;
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^Imported \d+ rows in /m) });
      expect(stderr).not.toContain('Failed');
      expect(await stateOf(database)).not.toBe(before);
      expect((await latestRuns(database, 1))[0]).toMatchObject({ Outcome: 'imported' });
      await load(folders.old);
    });

    test('that loses the response to COMMIT and its server reports that the outcome is unknown', async () => {
      const command = await halfDone(url);
      // The guards read the old prices on another connection before the COMMIT.
      proxy.cutAfter('COMMIT', true);
      command.signal('SIGCONT');
      const { code, stdout, stderr } = await command.ended;
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^Failed: .*; it is not known whether the import was written; see import log$/m);
      expect((await latestRuns(database, 1))[0]).toMatchObject({ Outcome: 'imported' });
      await load(folders.old);
    });
  });
}

/** Creates a database with a small catalogue. */
async function startSmall(): Promise<void> {
  database = await TestDatabase.create();
  databases.push(database);
  await load(folders.small);
}

if (engine === 'sqlite') {
  test('an import whose database file may not grow leaves the old data and is recorded as failed', async () => {
    await startSmall();
    const limited = ['sh', '-c', 'ulimit -f 1200; exec "$@"', 'sh'];
    await failed(RunningCommand.start(database.url, ['import', folders.next], { wrapper: limited }), /disk I\/O error/);
  });

  /** Runs a command on a copy of a folder in a file system of 1 MiB, and copies the folder back. */
  const ON_FULL_DISK = [...MOUNTING, 'sh', '-ec'];
  const SCRIPT = `mount -t tmpfs -o size=1m none "$1"; cp "$0"/* "$1"; disk=$1; shift
    code=0; "$@" || code=$?; cp "$disk"/* "$0"; exit $code`;

  describeMounting('an import on a full file system', () => {
    test('leaves the old data and is recorded as failed', async () => {
      await startSmall();
      const [folder, disk] = [dirname(database.url.slice('sqlite:'.length)), join(database.folder, 'disk')];
      mkdirSync(disk);
      const wrapper = [...ON_FULL_DISK, SCRIPT, folder, disk];
      const command = RunningCommand.start(`sqlite:${join(disk, 'test.db')}`, ['import', folders.next], { wrapper });
      await failed(command, /database or disk is full/);
    });
  });
}

if (engine === 'mysql') {
  test('an import into a full table leaves the old data and is recorded as failed', async () => {
    await startSmall();
    // MEMORY tables have a size limit on every server, so a trigger fills one.
    await database.sql([
      'SET SESSION max_heap_table_size = 16384',
      'CREATE TABLE filler (Text char(200)) ENGINE = MEMORY',
      `CREATE TRIGGER fill AFTER INSERT ON stock FOR EACH ROW INSERT INTO filler VALUES ('x')`,
    ]);
    const command = RunningCommand.start(database.url, ['import', folders.next]);
    await failed(command, /The table 'filler' is full/);
  });

  const program = process.env.TEST_MYSQL_PROGRAM;
  const reason = !program && 'the tests did not start the server in TEST_MYSQL_URL';

  describeUnless(reason, 'an import on a server without space', () => {
    let server: Awaited<ReturnType<typeof startPrivateServer>>;
    const url = process.env.TEST_MYSQL_URL;
    beforeAll(async () => {
      const space = ['--innodb-data-file-path=ibdata1:16M', '--innodb-file-per-table=0'];
      server = await startPrivateServer(JSON.parse(program!), space);
      process.env.TEST_MYSQL_URL = server.url;
    });
    afterAll(async () => {
      await databases.pop()!.drop();
      await server.stop();
      process.env.TEST_MYSQL_URL = url;
    });

    test('leaves the old data and is recorded as failed', async () => {
      await startSmall();
      await failed(RunningCommand.start(database.url, ['import', folders.next]), /The table '\w+' is full/);
    });
  });
}
