// npm run test:programs [-- PROJECT... | --without PROJECT...]: runs the Jest projects that need more than Node: all of
// them, only the named ones, or all except the named ones. Names the programs that are missing. With REQUIRE_SERVERS=1
// a missing program is an error.
import { spawnSync } from 'node:child_process';
import { argv, env, exit } from 'node:process';
import config from '../jest.config.mjs';
import { missingPrograms } from './support/programs.mjs';

/** `npm test` runs them. */
const NODE_ONLY = new Set(['unit', 'sqlite', 'docs']);

/** They load or break servers and measure times, so nothing else may run at the same time. */
const ALONE = new Set(['redis', 'rollout', 'chaos']);

const isWithout = argv[2] === '--without';
const named = new Set(argv.slice(isWithout ? 3 : 2));
const isWanted = (project) =>
  isWithout || !named.size ? !NODE_ONLY.has(project) && !named.has(project) : named.has(project);

const notRun = missingPrograms()
  .filter(({ project }) => isWanted(project))
  .map(
    ({ name, project, package: debian, command }) =>
      `NOT RUN: what needs ${name} in "${project}" (${debian ? `Debian: ${debian}` : command}).`,
  );
for (const line of notRun) console.error(line);
if (notRun.length && env.REQUIRE_SERVERS === '1') exit(1);

const present = config()
  .projects.map(({ displayName }) => displayName)
  .filter(isWanted);
const results = [true, false].map((alone) =>
  runs(
    present.filter((name) => ALONE.has(name) === alone),
    alone,
  ),
);
for (const line of notRun) console.error(line);
exit(results.includes(false) ? 1 : 0);

/** Whether these projects pass. Jest refuses to run an empty list. */
function runs(projects, alone) {
  if (!projects.length) return true;
  const args = [...(alone ? ['--maxWorkers=1'] : []), '--selectProjects', ...projects];
  return spawnSync('jest', args, { stdio: 'inherit' }).status === 0;
}
