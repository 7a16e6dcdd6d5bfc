import type { ImportSummary } from '../../src/import/import-summary.js';
import { storedRows } from './stored-rows.js';
import type { TestDatabase } from './test-service.js';

type Files = Record<string, string | Buffer>;

/** A line about how far an import is, which stands on stderr along with problems. */
const PROGRESS = /: \d+ rows of \w+ (read|so far), \d+\.\d s$/;

/** Imports files. @returns for each table what was reported as added, changed, unchanged and removed: `+1 ~2 =3 -4` */
export async function imported(
  database: TestDatabase,
  files: Files,
  ...options: string[]
): Promise<Record<string, string>> {
  return signs(await summary(database, files, ...options));
}

/** Imports files. @returns what `--json` prints */
export async function summary(database: TestDatabase, files: Files, ...options: string[]): Promise<ImportSummary> {
  const text = await database.cliOk('import', '--json', ...options, await database.files(files));
  return JSON.parse(text) as ImportSummary;
}

/** The counts of each table, `+1 ~2 =3 -4`. */
export function signs({ tables }: Pick<ImportSummary, 'tables'>): Record<string, string> {
  return Object.fromEntries(
    tables.map(({ table, added, changed, unchanged, removed }) => [
      table,
      `+${added} ~${changed} =${unchanged} -${removed}`,
    ]),
  );
}

/** Imports files that are to be refused. @returns the problems, once it is sure that nothing was written */
export async function refused(database: TestDatabase, files: Files, ...options: string[]): Promise<string[]> {
  const before = await storedRows(database);
  const { code, stdout, stderr } = await database.cli('import', ...options, await database.files(files));
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  const problems = problemsIn(stderr);
  expect(await storedRows(database)).toEqual(before);
  return problems;
}

/** The problems of an import that printed this, which also has to say how many there are. */
export function problemsIn(stderr: string): string[] {
  const problems = stderr
    .trimEnd()
    .split('\n')
    .filter((line) => !PROGRESS.test(line));
  expect(problems.pop()).toBe(`Nothing was imported: ${problems.length} problem(s).`);
  return problems;
}
