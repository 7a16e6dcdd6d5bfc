// On what the figures were taken.
import { cpus, totalmem } from 'node:os';

export function describeMachine() {
  const all = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  return `${all[0].model.trim()}, ${all.length} cores, ${memory}, Node ${process.versions.node}`;
}
