// On what the figures were taken.
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';

export function describeMachine() {
  const all = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  return `${all[0].model.trim()}, ${all.length} cores, ${memory}, Node ${process.versions.node}`;
}

/** Says so where others keep the machine busy. @returns how many processes want to run, on average of a minute */
export function warnOfLoad() {
  const [load] = loadavg();
  if (load > availableParallelism() / 2)
    console.log(`The machine is busy (load ${load.toFixed(1)}): times will be too long, and ratios off.`);
  return load;
}
