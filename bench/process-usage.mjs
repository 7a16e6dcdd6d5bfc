// What a process takes, as the kernel tells it. Elsewhere than on Linux nothing is known.
import { readFileSync, writeFileSync } from 'node:fs';

/** The kernel counts CPU time for readers in hundredths of a second, whatever its own clock. */
const TICKS = 100;

/** CPU time so far, in seconds; undefined where that is not known. */
export function cpuOf(pid) {
  const stat = fileOf(pid, 'stat');
  // The name of the program, which comes second, may have spaces and brackets.
  const [user, system] =
    stat
      ?.slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13) ?? [];
  return stat && (Number(user) + Number(system)) / TICKS;
}

/** Memory at its peak since `forgetPeak`, in bytes; undefined where that is not known. */
export function peakOf(pid) {
  const status = fileOf(pid, 'status');
  return status && Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)[1]) * 1024;
}

export function forgetPeak(pid) {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // The peak is that since the start, then.
  }
}

function fileOf(pid, name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return undefined;
  }
}
