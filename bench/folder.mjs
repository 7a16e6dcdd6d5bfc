// Temporary folders of benchmarks.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atExit } from './at-exit.mjs';

/** Runs `work` with the path of a new folder, which is removed afterwards. */
export async function withFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), 'customer-data-bench-'));
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  const removed = atExit(remove);
  try {
    return await work(folder);
  } finally {
    remove();
    removed();
  }
}
