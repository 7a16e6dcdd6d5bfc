import { figuresOf } from './figures.mjs';
import { comparisonTable } from './table.mjs';

const round = (base, now) => [
  { what: '/stock', keys: ['seconds', 'cpu'], base, now },
  { what: '/stock/changes', keys: ['seconds'], base: undefined, now },
];

test('the table has a line for each figure, and names what the base lacks and what is unknown', () => {
  const rounds = Array.from({ length: 5 }, () => round({ seconds: 0.01 }, { seconds: 0.0201 }));
  const [, , time, cpu, changes] = comparisonTable(figuresOf(rounds), 5).split('\n');
  expect(time.split(/\s\s+/)).toEqual(['/stock', 'time, ms', '10', '20.1', '2.01', '2.01–2.01', 'worse']);
  expect(cpu.split(/\s\s+/)).toEqual(['/stock', 'CPU, ms', 'unknown']);
  expect(changes.split(/\s\s+/)).toEqual(['/stock/changes', 'not in base']);
});
