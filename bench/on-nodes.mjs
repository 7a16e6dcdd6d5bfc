// Runs a benchmark on each version of Node, and prints its figures.
import { join } from 'node:path';
import { report, reportRows } from './report.mjs';
import { saveResults } from './results.mjs';
import { startTasks } from './task-process.mjs';

/**
 * @param {'import' | 'responses'} benchmark
 * @param {{ nodes: string[], quick: boolean, write: boolean, load: number }} options `nodes` are programs. `write` saves the figures
 * @param {object} task what the benchmark needs
 */
export async function measureOnNodes(server, benchmark, { nodes, quick, write, load }, task) {
  for (const node of nodes) {
    const process = startTasks(join(import.meta.dirname, 'measure-process.mjs'), node);
    try {
      const found = await process.ask(benchmark, { serverUrl: server.url, ...task });
      console.log(`${benchmark}: ${found.machine}`);
      reportRows(found.rows);
      // The CPU time of a database on another machine is unknown.
      const aims = found.aims.filter(({ figure }) => Number.isFinite(figure));
      for (const { aim, what, figure, ...limit } of aims) report(`${aim}, ${what}`, figure, limit);
      if (write) await saveResults(server, benchmark, { quick, load, ...found, aims });
    } finally {
      process.stop();
    }
  }
}
