// The tables of docs/performance.md.
import { table } from '../markdown.mjs';
import { amount, limitOf, verdict } from '../report.mjs';

/**
 * One line for each benchmark of each server and version of Node.
 * @param {object[]} results see `saveResults`
 */
export function conditionsTable(results) {
  return table(
    ['Database', 'Node', 'Benchmark', 'Date', 'Cores in use before', 'Machine'],
    results.map(({ product, node, benchmark, taken, load, quick, machine }) => [
      product,
      node,
      `\`${benchmark}${quick ? ' --quick' : ''}\``,
      taken,
      load.toFixed(1),
      machine.replace(/, Node .*/, ''),
    ]),
  );
}

/** One line for each target, one column for each server and version of Node. */
export function targetsTable(results) {
  const columns = [...new Set(results.map(columnOf))];
  const targets = new Map();
  for (const result of results)
    for (const aim of result.aims) {
      const key = `${aim.aim} ${aim.what}`;
      targets.set(key, { ...targets.get(key), ...aim, [columnOf(result)]: aim });
    }
  return table(
    ['Target', 'What is measured', 'Limit', ...columns],
    [...targets.values()]
      .toSorted((a, b) => a.aim.slice(1) - b.aim.slice(1))
      .map((target) => [target.aim, target.what, limitOf(target), ...columns.map((column) => cellOf(target[column]))]),
  );
}

const columnOf = ({ product, major }) => `${product}, Node ${major}`;

function cellOf(aim) {
  if (!aim) return '–';
  const text = amount(aim.figure, aim.unit);
  return verdict(aim.figure, aim) === 'met' ? text : `${text} **missed**`;
}
