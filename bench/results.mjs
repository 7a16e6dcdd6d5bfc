// Saves results, and rewrites the documentation that shows them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chart } from './figures/chart.mjs';
import { chartedOf, ENGINES, fileOf, resultsOf } from './figures/saved.mjs';
import { conditionsTable, targetsTable } from './figures/tables.mjs';
import { writeTables } from './page.mjs';

const DOCS = join(import.meta.dirname, '../docs');

/**
 * Replaces the results of a benchmark on a server and a major version of Node in bench/results/ENGINE.json. Then rewrites
 * the tables of docs/performance.md, and docs/bench-ENGINE.svg.
 * @param {'import' | 'responses'} benchmark
 * @param {{ node: string, taken: string, machine: string, load: number, quick: boolean, rows: object, aims: object[] }}
 *   found
 */
export async function saveResults(server, benchmark, found) {
  const product = await server.product();
  const engine = product.split(' ')[0].toLowerCase();
  const major = found.node.split('.')[0];
  const others = resultsOf(engine).filter((one) => one.benchmark !== benchmark || one.major !== major);
  const all = [...others, { product, major, benchmark, server: await server.describe(), ...found }];
  writeFileSync(fileOf(engine), `${JSON.stringify(all.toSorted(byNode), short, 2)}\n`);
  await writePages();
}

async function writePages() {
  const results = ENGINES.flatMap(resultsOf);
  const tables = { conditions: conditionsTable(results), targets: targetsTable(results) };
  await writeTables(join(DOCS, 'performance.md'), 'figures', tables);
  for (const engine of ENGINES)
    if (chartedOf(engine)) writeFileSync(join(DOCS, `bench-${engine}.svg`), chart(chartedOf(engine)));
}

const byNode = (a, b) => a.major - b.major || a.benchmark.localeCompare(b.benchmark);

/** Four digits are more than a measurement has. */
const short = (_key, value) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value);
