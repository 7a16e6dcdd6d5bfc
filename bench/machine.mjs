// Describes the machine of a run.
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';

export function describeMachine() {
  const all = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  return `${all[0].model.trim()}, ${all.length} cores, ${memory}, Node ${process.versions.node}`;
}

/** Warns if other processes keep the machine busy. @returns the load average of the last minute */
export function warnOfLoad() {
  const [load] = loadavg();
  if (load > availableParallelism() / 2)
    console.log(
      `The machine is busy (load ${load.toFixed(1)}): times will be too long, and ratios wrong. Stop other processes.`,
    );
  return load;
}
