// Compares this checkout with another commit of the project: the same client measures both in turn.
import { join } from 'node:path';
import { checkOut } from './compare/checkout.mjs';
import { measureHelp, measureImport } from './compare/commands.mjs';
import { figuresOf } from './compare/figures.mjs';
import { commitOf, describeCheckout, describeCommit, ROOT } from './compare/git.mjs';
import { previousRelease } from './compare/previous-release.mjs';
import { measureServices } from './compare/services.mjs';
import { onBothSides } from './compare/sides.mjs';
import { comparisonTable } from './compare/table.mjs';
import { writeFiles } from './data-files.mjs';
import { describeMachine } from './machine.mjs';
import { withServer } from './server.mjs';
import { startTasks } from './task-process.mjs';

/** `seconds`: no further round starts after them, but three rounds always run. `size`: the data set of the imports. */
const FULL = { rounds: 15, seconds: 900, size: 'M' };
const QUICK = { rounds: 5, seconds: 70, size: 'S' };
const LEAST_ROUNDS = 3;
const SIDES = ['base', 'now'];

/** @param {string} [revision] names the commit; default: the previous release */
export async function measureCompare({ quick, folder }, revision) {
  const commit = revision === undefined ? previousRelease() : commitOf(revision);
  console.log(`Base: ${describeCommit(commit)}\nNow: ${describeCheckout()}\n${describeMachine()}`);
  const folders = { base: join(folder, 'base'), now: ROOT };
  await checkOut(commit, folders.base);
  const plan = quick ? QUICK : FULL;
  const [m, imported] = ['M', plan.size].map((size) => join(folder, size));
  await writeFiles('M', m);
  await writeFiles(plan.size, imported);
  await withServer((server) =>
    onBothSides(server, folders, m, async (sides) => {
      const client = startTasks(join(import.meta.dirname, 'http-client-process.mjs'));
      const context = { server, client, databasePid: await server.pid(), size: plan.size, files: imported };
      const rounds = await measureRounds(plan, (order) => measureRound(sides, order, context));
      client.stop();
      console.log(comparisonTable(figuresOf(rounds), rounds.length));
    }),
  );
}

/** @param measure measures one round, with the sides in this order */
async function measureRounds(plan, measure) {
  const rounds = [];
  const start = performance.now();
  const seconds = () => (performance.now() - start) / 1000;
  while (rounds.length < LEAST_ROUNDS || (rounds.length < plan.rounds && seconds() < plan.seconds)) {
    rounds.push(await measure(rounds.length % 2 ? SIDES.toReversed() : SIDES));
    console.log(`Round ${rounds.length} of ${plan.rounds} or fewer is done after ${seconds().toFixed(0)} s`);
  }
  return rounds;
}

async function measureRound(sides, order, context) {
  return [
    ...(await measureServices(sides, order, context)),
    await measureHelp(sides, order),
    ...(await measureImport(sides, order, context)),
  ];
}
