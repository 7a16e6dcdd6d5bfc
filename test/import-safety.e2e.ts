import { setTimeout as sleep } from 'node:timers/promises';
import { call, tokenCall, tokenIn } from './support/http-call.js';
import { largeCatalogue, stateOf, touch, type Version } from './support/large-catalogue.js';
import { latestRuns } from './support/import-runs.js';
import { RunningCommand } from './support/running-command.js';
import { ServiceProcess } from './support/service-process.js';
import { KnownResponses } from './support/steady-reader.js';
import { TestDatabase } from './support/test-service.js';

const PRODUCTS = 3000;
const KILLS = 10;
/** Minimum number of kills that must hit an import after it was recorded and before it ends. */
const KILLS_AT_WORK = 7;
/** Longest permitted wait of a reader in milliseconds, although one machine runs everything. An import takes longer. */
const MAX_READ_MS = 3000;
/** Longest time until the server ends the session of a killed import, in milliseconds. */
const LOCK_GONE_MS = 5000;

let database: TestDatabase;
let service: ServiceProcess;
let responses: KnownResponses;
const folders = {} as Record<Version, string>;
const states = {} as Record<Version, string>;
/** Duration of the work of an import in milliseconds. */
let duration: number;
/** The version in the database. */
let stored: Version;
const other = (): Version => (stored === 1 ? 2 : 1);

const startImport = (version: Version) => RunningCommand.start(database.url, ['import', folders[version]]);

/** Imports a version. @returns the duration of the work in milliseconds */
async function measured(version: Version): Promise<number> {
  const command = startImport(version);
  await atWork(command);
  const start = performance.now();
  expect(await command.ended).toMatchObject({ code: 0 });
  stored = version;
  return performance.now() - start;
}

/** Resolves once the import works, which its first progress line shows. */
const atWork = (command: RunningCommand) => command.printing(/rows of \w+ read/);

beforeAll(async () => {
  database = await TestDatabase.create();
  for (const version of [1, 2] as const) folders[version] = await database.files(largeCatalogue(version, PRODUCTS));
  await measured(1);
  const JWT_SECRET = 'a-secret-that-is-long-enough-for-tests';
  const limits = { REQUESTS_PER_MINUTE: '1000000', REQUESTS_PER_HOUR: '1000000' };
  const environment = { DATABASE_URL: database.url, DEMO_DATA: 'false', JWT_SECRET, ...limits };
  service = ServiceProcess.start(environment, database.folder);
  const { url } = await service.ports();
  await service.printing(/The database is ready/);
  const token = tokenIn(await call(url, tokenCall('C', await database.cliOk('key', 'issue', 'C'))));
  responses = new KnownResponses(url, token);
  states[1] = await stateOf(database);
  await responses.learn('1');
  duration = await measured(2);
  states[2] = await stateOf(database);
  await responses.learn('2');
}, 120_000);

afterAll(async () => {
  await service.stop('SIGKILL');
  await database.drop();
});

test('the two versions differ in every endpoint except /health, and in their rows', () => {
  expect([responses.size, states[1] === states[2]]).toEqual([7, false]);
});

/** Kills an import after `moment` milliseconds of work, and expects either the whole old state or the whole new one. */
async function killAfter(moment: number): Promise<'unfinished' | 'imported' | 'too late'> {
  const [old, next, started] = [stored, other(), new Date().toISOString()];
  const reader = responses.read();
  const command = startImport(next);
  await atWork(command);
  const start = performance.now();
  await Promise.race([sleep(moment), command.ended]);
  command.signal('SIGKILL');
  await command.ended;
  // The machine may be faster or slower now than when the duration was measured.
  if (command.endedBy === null) duration = performance.now() - start;

  // The next import waits until the session of the killed one has ended. After that, the state no longer changes.
  expect(await touch(database)).toBeLessThan(LOCK_GONE_MS);
  const seen = await reader.stop();
  const [touched, killed] = await latestRuns(database, 2);
  expect([touched!.Outcome, killed!.StartedAt > started]).toEqual(['imported', true]);
  stored = killed!.Outcome === 'imported' ? next : old;
  expect({ outcome: killed!.Outcome, state: await stateOf(database), seen: seen.versions }).toEqual(
    stored === next
      ? { outcome: 'imported', state: states[next], seen: [`${old}`, `${next}`] }
      : { outcome: null, state: states[old], seen: [`${old}`] },
  );
  expect(seen.responses).toBeGreaterThan(8);
  expect(seen.longest).toBeLessThan(MAX_READ_MS);
  if (command.endedBy !== 'SIGKILL') return 'too late';
  return stored === next ? 'imported' : 'unfinished';
}

test('after kill -9 at ten random moments, readers saw only whole states and the next import works', async () => {
  const outcomes: string[] = [];
  for (let kills = 0; kills < KILLS; kills = outcomes.filter((outcome) => outcome !== 'too late').length) {
    outcomes.push(await killAfter(((kills + Math.random()) / KILLS) * duration));
    expect(outcomes.length).toBeLessThan(2 * KILLS);
  }
  const unfinished = outcomes.filter((outcome) => outcome === 'unfinished').length;
  expect(unfinished).toBeGreaterThanOrEqual(KILLS_AT_WORK);
  const log = await database.cliOk('import', 'log', '--last', '100');
  expect(log.match(/ unfinished /g)).toHaveLength(unfinished);

  const [reader, old] = [responses.read(), stored];
  await measured(other());
  expect((await reader.stop()).versions).toEqual([`${old}`, `${stored}`]);
  expect(await stateOf(database)).toBe(states[stored]);
}, 180_000);

test('a running import delays no reader, and another import waits and then succeeds', async () => {
  const [old, next] = [stored, other()];
  const first = startImport(next);
  await first.printing(/rows of products read/);
  // The suspended import keeps its transaction open and its locks held.
  first.signal('SIGSTOP');
  const reader = responses.read();
  const second = startImport(old);
  await sleep(4000);
  const { versions, longest } = await reader.stop();
  expect(versions).toEqual([`${old}`]);
  expect(longest).toBeLessThan(MAX_READ_MS);
  expect(second.printed).toBe('');
  first.signal('SIGCONT');
  for (const command of [first, second]) {
    const { code, stdout, stderr } = await command.ended;
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^table .*\n[^]*\nImported \d+ rows in/),
    });
    // Standard error has only the progress.
    expect(stderr).toMatch(/^(\w+\.csv: \d+ rows of \w+ read, .*\n)+$/);
  }
  expect(await stateOf(database)).toBe(states[old]);
  const [later, earlier] = await latestRuns(database, 2);
  expect([later!.Outcome, earlier!.Outcome]).toEqual(['imported', 'imported']);
  expect(later!.StartedAt >= earlier!.EndedAt!).toBe(true);
});
