// npm run test:hidden [-- NAME...]: hides one program at a time and runs the projects that use it. The projects must
// pass without the program, and name it as missing. A run for all programs takes half an hour.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { argv, env, execPath, exit } from 'node:process';
import { findProgram, missingPrograms, PROGRAMS } from './support/programs.mjs';

const names = argv.slice(2);
const hideable = PROGRAMS.filter(({ name }) => findProgram(name) && (!names.length || names.includes(name)));
const unknown = names.filter((name) => !hideable.some((program) => program.name === name));
if (unknown.length) {
  console.error(`Tests use no program of this name that is installed here: ${unknown.join(', ')}.`);
  exit(2);
}
const failed = hideable.filter((program) => !passesWithout(program)).map(({ name }) => name);
console.error(
  failed.length
    ? `FAILED without ${failed.join(', ')}`
    : `Passed without each of: ${hideable.map(({ name }) => name).join(', ')}`,
);
exit(failed.length ? 1 : 0);

function passesWithout({ name, project }) {
  console.error(`== without ${name}`);
  const folder = folderWithout(name === 'mariadbd' ? ['mariadbd', 'mysqld'] : [name]);
  const { TEST_MYSQL_URL: _, REQUIRE_SERVERS: __, ...rest } = env;
  const hiding = { ...rest, PATH: [join(import.meta.dirname, '../node_modules/.bin'), folder].join(delimiter) };
  const isNamed = missingPrograms(hiding).some((program) => program.name === name);
  const script = join(import.meta.dirname, 'with-programs.mjs');
  const { status } = spawnSync(execPath, [script, project], { stdio: 'inherit', env: hiding });
  rmSync(folder, { recursive: true });
  return isNamed && status === 0;
}

/** A folder of links to every program in PATH except these. */
function folderWithout(hidden) {
  const folder = mkdtempSync(join(tmpdir(), 'customer-data-path-'));
  const places = env.PATH.split(delimiter).toReversed();
  const programs = new Map(places.flatMap((place) => filesIn(place).map((name) => [name, join(place, name)])));
  for (const name of hidden) programs.delete(name);
  for (const [name, path] of programs) symlinkSync(path, join(folder, name));
  return folder;
}

function filesIn(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
