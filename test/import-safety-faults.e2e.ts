import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { latestRuns } from './support/import-runs.js';
import { largeCatalogue, stateOf, touch } from './support/large-catalogue.js';
import { startPrivateServer } from './support/private-server.mjs';
import { RunningCommand } from './support/running-command.js';
import { TcpProxy } from './support/tcp-proxy.js';
import { engine, TestDatabase } from './support/test-service.js';

const PRODUCTS = 3000;

/** Of the test that runs. */
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

/** An import of the next version that is half done, and frozen. */
async function halfDone(url = database.url): Promise<RunningCommand> {
  const command = RunningCommand.start(url, ['import', folders.next]);
  await command.printing(/rows of products read/);
  command.signal('SIGSTOP');
  return command;
}

/** Expects that the command failed for a reason like this, that the old data are there, and that others can import. */
async function failed(command: RunningCommand, reason: RegExp, outcome: 'failed' | null = 'failed'): Promise<void> {
  const { code, stdout, stderr } = await command.ended;
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  // One line after those on the progress, and no stack.
  expect(stderr).toMatch(new RegExp(`^(\\w+\\.csv: \\d+ rows of .*\\n)+Failed: .*(${reason.source}).*\\n$`));
  const [run] = await latestRuns(database, 1);
  expect(run).toMatchObject({ Outcome: outcome, Tables: null });
  if (outcome) expect(run!.Message).toMatch(reason);
  expect(await stateOf(database)).toBe(before);
  await touch(database);
}

if (engine === 'mysql') {
  describe('a connection', () => {
    let proxy: TcpProxy;
    let url: string;
    beforeAll(() => load(folders.old));
    beforeEach(async () => {
      proxy = new TcpProxy(database.url);
      url = await proxy.reservedUrl();
      await proxy.open();
    });
    afterEach(() => proxy.close());

    test('that is lost, with the way to the server: the old data stay, and the run is left unfinished', async () => {
      const command = await halfDone(url);
      proxy.close();
      command.signal('SIGCONT');
      await failed(command, /[Cc]onnection|ECONN|EPIPE/, null);
    });

    test('that is lost while the server can be reached: the old data stay, and the run failed', async () => {
      const command = await halfDone(url);
      proxy.cut();
      command.signal('SIGCONT');
      await failed(command, /[Cc]onnection|ECONN|EPIPE/);
    });

    test('that the server ends: the old data stay, and the run failed', async () => {
      const command = await halfDone();
      const sessions = await database.sql(
        'SELECT ID AS id FROM information_schema.processlist WHERE DB = DATABASE() AND ID <> CONNECTION_ID()',
      );
      expect(sessions.length).toBeGreaterThan(0);
      for (const { id } of sessions) await database.sql(`KILL ${id}`);
      command.signal('SIGCONT');
      await failed(command, /[Cc]onnection|ECONN|EPIPE/);
    });

    test('that is lost with the answer to COMMIT: the data are in, and the import says so', async () => {
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

    test('that is lost with the answer to COMMIT, for good: the import says that it does not know', async () => {
      const command = await halfDone(url);
      // Before the COMMIT, the guards read the old prices on a connection of their own.
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

/** A new database, with data that leave room for little more. */
async function startSmall(): Promise<void> {
  database = await TestDatabase.create();
  databases.push(database);
  await load(folders.small);
}

if (engine === 'sqlite') {
  test('a file that must not grow: the old data stay, and the run failed', async () => {
    await startSmall();
    const limited = ['sh', '-c', 'ulimit -f 1200; exec "$@"', 'sh'];
    await failed(RunningCommand.start(database.url, ['import', folders.next], { wrapper: limited }), /disk I\/O error/);
  });

  /** Runs a command on a copy of a folder in a file system of 1 MiB, and copies back what it leaves there. */
  const ON_FULL_DISK = ['unshare', '--map-root-user', '--mount', 'sh', '-ec'];
  const SCRIPT = `mount -t tmpfs -o size=1m none "$1"; cp "$0"/* "$1"; disk=$1; shift
    code=0; "$@" || code=$?; cp "$disk"/* "$0"; exit $code`;
  const canMount =
    spawnSync('unshare', ['--map-root-user', '--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;
  const notRun = 'NOT RUN: an import on a file system that is full, because this account may not mount one';

  (canMount ? describe : describe.skip)(canMount ? 'a file system' : notRun, () => {
    test('that is full: the old data stay, and the run failed', async () => {
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
  test('a table that is full: the old data stay, and the run failed', async () => {
    await startSmall();
    // Of an engine that has a limit on every server; the tables of ours are as they are.
    await database.sql([
      'SET SESSION max_heap_table_size = 16384',
      'CREATE TABLE filler (Text char(200)) ENGINE = MEMORY',
      `CREATE TRIGGER fill AFTER INSERT ON stock FOR EACH ROW INSERT INTO filler VALUES ('x')`,
    ]);
    const command = RunningCommand.start(database.url, ['import', folders.next]);
    await failed(command, /The table 'filler' is full/);
  });

  const program = process.env.TEST_MYSQL_PROGRAM;
  const notRun = 'NOT RUN: an import on a server without space, because TEST_MYSQL_URL names one that is not ours';

  (program ? describe : describe.skip)(program ? 'a server' : notRun, () => {
    let server: Awaited<ReturnType<typeof startPrivateServer>>;
    const url = process.env.TEST_MYSQL_URL;
    beforeAll(async () => {
      const space = ['--innodb-data-file-path=ibdata1:14M', '--innodb-file-per-table=0'];
      server = await startPrivateServer(JSON.parse(program!), space);
      process.env.TEST_MYSQL_URL = server.url;
    });
    afterAll(async () => {
      await databases.pop()!.drop();
      await server.stop();
      process.env.TEST_MYSQL_URL = url;
    });

    test('without space: the old data stay, and the run failed', async () => {
      await startSmall();
      await failed(RunningCommand.start(database.url, ['import', folders.next]), /The table '\w+' is full/);
    });
  });
}
