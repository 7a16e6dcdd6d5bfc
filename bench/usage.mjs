// Loaded into a process that is measured (node --import): tells on its file descriptor 3 what it took in all.
import { readFileSync, writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) process.on('exit', () => writeSync(3, JSON.stringify({ cpu: cpuSeconds(), rss: peakRss() })));

function cpuSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** In bytes. On Linux maxRSS also counts what the starting process had, hence the kernel's own figure. */
function peakRss() {
  try {
    return Number(/^VmHWM:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1'))[1]) * 1024;
  } catch {
    return process.resourceUsage().maxRSS * 1024;
  }
}
