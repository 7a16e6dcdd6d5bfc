import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chart } from './chart.mjs';
import { chartedOf, ENGINES, resultsOf } from './saved.mjs';
import { conditionsTable, targetsTable } from './tables.mjs';

const docs = (name) => readFileSync(join(import.meta.dirname, '../../docs', name), 'utf8');
/** The cells of a table, without the spaces that align them. */
const cells = (text) => text.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---');

test.each(ENGINES)('the chart of %s shows the saved results', (engine) => {
  expect(docs(`bench-${engine}.svg`)).toBe(chart(chartedOf(engine)));
});

test('the tables of the page show the saved results', () => {
  const page = cells(docs('performance.md'));
  const results = ENGINES.flatMap(resultsOf);
  for (const table of [conditionsTable, targetsTable]) expect(page).toContain(cells(table(results)));
});
