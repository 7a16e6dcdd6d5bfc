// The figures of the import benchmark.
import { median } from './report.mjs';
import { CHANGED, ROWS } from './stock-delivery.mjs';

/** The maximum ratio to hand-written inserts. Q has none. */
const MOST = { M: 1.8, L: 1.5 };

/**
 * @param {Record<'M' | 'Q' | 'L', { rows: number, inserts: object[], imports: object[] }>} found the runs of each data set
 * @returns {{ rows: object, aims: object[] }}
 */
export function reportImport(found) {
  const rows = Object.entries(found).map(([size, runs]) => rowsOf(size, runs));
  return { rows: Object.assign({}, ...rows), aims: [...Object.entries(found).flatMap(aimsOf), ...aimsOfAll(found)] };
}

function rowsOf(size, { rows, inserts, imports }) {
  return {
    [`${size}, ${thousands(rows)} rows: hand-written inserts`]: figures(inserts),
    ...tablesOf(size, inserts),
    [`${size}: import`]: figures(imports.map((run) => run.first)),
    [`${size}: import again, nothing changes`]: figures(imports.map((run) => run.again)),
    [`${size}: import of ${thousands(ROWS)} stock rows, ${CHANGED} change`]: figures(deliveriesOf(imports)),
    [`${size}: migrate, nothing to do`]: figures(imports.map((run) => run.nothing)),
  };
}

/** The seconds of each table, from the last run. */
function tablesOf(size, inserts) {
  const { tables } = inserts.at(-1);
  return Object.fromEntries(
    Object.entries(tables).map(([name, part]) => [`${size}, inserts: ${name}`, { seconds: part }]),
  );
}

function aimsOf([size, { inserts, imports }]) {
  const ratio = median(imports.map((run, pair) => run.first.seconds / inserts[pair].seconds));
  const all = imports.flatMap(({ first, again, deliveries }) => [first, again, ...deliveries]);
  return [
    { aim: 'P10', what: `import of ${size} / hand-written inserts of the same rows`, figure: ratio, most: MOST[size] },
    { aim: 'P10', what: `import of ${size}: memory`, figure: peak(all), unit: 'MB', most: 300 },
  ];
}

function aimsOfAll({ M, L }) {
  const [size, { imports }] = L ? ['L', L] : ['M', M];
  const help = M.imports.map((run) => run.help.cpu * 1000);
  const [ofM, ofL] = [M, L].map((runs) => runs && peak(runs.imports.map(({ first }) => first)));
  return [
    ...(L ? [{ aim: 'P10', what: 'memory of the import of L / of M', figure: ofL / ofM, most: 1.25 }] : []),
    {
      aim: 'P10',
      what: `import of ${thousands(ROWS)} stock rows of ${size}`,
      figure: seconds(deliveriesOf(imports)),
      unit: 's',
      most: 2,
    },
    { aim: 'P16', what: 'CPU of `cli --help`', figure: median(help), unit: 'ms', most: 120 },
  ];
}

/** @param runs the measured runs; the runs of the inserts have only seconds */
function figures(runs) {
  const row = { seconds: seconds(runs) };
  return runs[0].rss ? { ...row, 'CPU seconds': median(runs.map(({ cpu }) => cpu)), 'peak RSS, MB': peak(runs) } : row;
}

const deliveriesOf = (imports) => imports.flatMap((run) => run.deliveries);

const seconds = (runs) => median(runs.map((run) => run.seconds));

const peak = (runs) => Math.max(...runs.map(({ rss }) => rss)) / 1e6;

const thousands = (count) => count.toLocaleString('en-US');
