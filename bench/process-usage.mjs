// CPU time and memory of a process, from /proc. Only Linux has it.
import { readFileSync, writeFileSync } from 'node:fs';

/** The kernel reports CPU time in hundredths of a second, whatever its timer frequency is. */
const TICKS = 100;

/** CPU time so far in seconds; undefined if unknown. */
export function cpuOf(pid) {
  const stat = fileOf(pid, 'stat');
  // The second field, the name of the program, may contain spaces and brackets.
  const [user, system] =
    stat
      ?.slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13) ?? [];
  return stat && (Number(user) + Number(system)) / TICKS;
}

/** Peak memory since `resetPeak` in bytes; undefined if unknown. */
export function peakOf(pid) {
  const status = fileOf(pid, 'status');
  return status && Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)[1]) * 1024;
}

export function resetPeak(pid) {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // Without the right to write this file, the peak covers the time since the start of the process.
  }
}

function fileOf(pid, name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return undefined;
  }
}
