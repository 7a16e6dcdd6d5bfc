// Saves the results as JSON and as a chart for docs/performance.md.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chart } from './chart.mjs';
import { describeMachine } from './machine.mjs';
import { verdict } from './report.mjs';

const ROOT = join(import.meta.dirname, '..');

/**
 * Writes bench/results/ENGINE.json and docs/bench-ENGINE.svg. A quick run writes bench/results/ENGINE-quick.json and
 * .svg, which git ignores.
 */
export async function saveResults(server, quick, { load, rows, aims }) {
  const engine = await server.engine();
  const found = {
    taken: new Date().toISOString().slice(0, 10),
    machine: describeMachine(),
    server: await server.describe(),
    quick,
    load,
    rows,
    aims: aims.map((aim) => ({ ...aim, verdict: verdict(aim.figure, aim) })),
  };
  const name = quick ? `${engine}-quick` : engine;
  const results = join(ROOT, 'bench/results');
  await mkdir(results, { recursive: true });
  await writeFile(join(results, `${name}.json`), `${JSON.stringify(found, null, 2)}\n`);
  await writeFile(quick ? join(results, `${name}.svg`) : join(ROOT, `docs/bench-${name}.svg`), chart(found));
}
