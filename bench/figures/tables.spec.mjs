import { conditionsTable, targetsTable } from './tables.mjs';

const result = (product, major, benchmark, aims) => ({
  product,
  major,
  node: `${major}.1.0`,
  benchmark,
  taken: '2026-11-30',
  load: 0.25,
  machine: 'CPU, 2 cores, 24 GiB, Node 20.1.0',
  aims,
});
const first = { aim: 'P3', what: 'first byte', unit: 'ms', most: 60 };
const speed = { aim: 'P15', what: 'speed', least: 0.97 };
const results = [
  result('MariaDB 10.11', '20', 'responses', [
    { ...speed, figure: 0.9512 },
    { ...first, figure: 4 },
  ]),
  result('MariaDB 10.11', '24', 'responses', [{ ...first, figure: 61.23 }]),
];

test('the table of targets has a column for each server and version of Node, and names missed targets', () => {
  expect(targetsTable(results).split('\n')).toEqual([
    '| Target | What is measured | Limit | MariaDB 10.11, Node 20 | MariaDB 10.11, Node 24 |',
    '| --- | --- | --- | --- | --- |',
    '| P3 | first byte | at most 60 ms | 4 ms | 61.2 ms **missed** |',
    '| P15 | speed | at least 0.97 | 0.951 **missed** | – |',
  ]);
});

test('the table of conditions names the version of Node, the date and the load of each run', () => {
  const [, , line] = conditionsTable(results).split('\n');
  expect(line).toBe('| MariaDB 10.11 | 20.1.0 | `responses` | 2026-11-30 | 0.3 | CPU, 2 cores, 24 GiB |');
});
