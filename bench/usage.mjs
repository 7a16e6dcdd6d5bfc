// Loaded into a measured process (node --import). At exit, it writes CPU time and peak memory to file descriptor 3.
import { readFileSync, writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) process.on('exit', () => writeSync(3, JSON.stringify({ cpu: cpuSeconds(), rss: peakRss() })));

function cpuSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Bytes. On Linux, maxRSS includes the memory of the parent process, so this reads the kernel's own figure. */
function peakRss() {
  try {
    return Number(/^VmHWM:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1'))[1]) * 1024;
  } catch {
    return process.resourceUsage().maxRSS * 1024;
  }
}
