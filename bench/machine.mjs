// Describes the machine of a run.
import { cpus, totalmem } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

export function describeMachine() {
  const all = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  return `${all[0].model.trim()}, ${all.length} cores, ${memory}, Node ${process.versions.node}`;
}

/**
 * Warns if other processes keep the machine busy. Call it before a run starts processes of its own.
 * @returns {Promise<number>} the number of cores in use
 */
export async function warnOfLoad() {
  const before = coreSeconds();
  await sleep(2000);
  const [busy, all] = coreSeconds().map((seconds, index) => seconds - before[index]);
  const load = (busy / all) * cpus().length;
  if (load > cpus().length / 4)
    console.log(
      `The machine is busy (${load.toFixed(1)} cores in use): times will be too long, and ratios wrong. Stop other processes.`,
    );
  return load;
}

/** @returns {[number, number]} the milliseconds that all cores were in use, and that they existed */
function coreSeconds() {
  const times = cpus().map(({ times: { idle, ...used } }) => [
    Object.values(used).reduce((sum, part) => sum + part),
    idle,
  ]);
  const [used, idle] = [0, 1].map((kind) => times.reduce((sum, one) => sum + one[kind], 0));
  return [used, used + idle];
}
