// Prints the results of the import benchmark.
import { median, report } from './report.mjs';
import { CHANGED, ROWS } from './stock-delivery.mjs';

/** @param ofM the import of M, for comparison with L; undefined if M is the measured data set */
export function reportImport({ size, contents, inserts, imports, ofM }) {
  const first = imports.map((run) => run.first);
  const again = imports.map((run) => run.again);
  const deliveries = imports.flatMap((run) => run.deliveries);
  const rows = Object.values(contents).reduce((sum, { total }) => sum + total, 0);
  console.table({
    [`${size}, ${rows} rows: hand-written inserts`]: figures(inserts),
    [`${size}: import`]: figures(first),
    [`${size}: import again, nothing changes`]: figures(again),
    [`${size}: import of ${ROWS} stock rows, ${CHANGED} change`]: figures(deliveries),
    ...(ofM && { 'M: import': figures([ofM]) }),
    'a command that finds nothing to do': figures(imports.map((run) => run.nothing)),
  });
  console.log(`Of the inserts: ${partsOf(inserts)}`);

  const ratio = median(imports.map((run, pair) => run.first.seconds / inserts[pair].seconds));
  // For M, starting the command takes half of the time, so the aim does not apply to its ratio.
  report(`Import over inserts, median of ${imports.length} interleaved pairs`, ratio, ofM && { most: 2 });
  report('Peak RSS of an import, MB', peak([...first, ...again, ...deliveries]), { most: 300 });
  if (ofM) report('Peak RSS of the import of L over that of M', peak(first) / peak([ofM]), { most: 1.25 });
  report(`Import of stock rows, s`, seconds(deliveries), { most: 2 });
}

/** @param runs the measured runs; the runs of the inserts have only seconds */
function figures(runs) {
  const row = { seconds: round(seconds(runs), 2) };
  if (!runs[0].rss) return row;
  return { ...row, 'CPU seconds': round(median(runs.map(({ cpu }) => cpu)), 2), 'peak RSS, MB': round(peak(runs), 0) };
}

/** The seconds of each table, from the median run. */
function partsOf(inserts) {
  const { tables } = inserts.find((run) => run.seconds === seconds(inserts));
  return Object.entries(tables)
    .map(([name, part]) => `${name} ${round(part, 2)} s`)
    .join(', ');
}

const seconds = (runs) => median(runs.map((run) => run.seconds));

const peak = (runs) => Math.max(...runs.map(({ rss }) => rss)) / 1e6;

const round = (figure, decimals) => Number(figure.toFixed(decimals));
