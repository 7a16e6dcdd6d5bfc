import { chart } from './chart.mjs';

const ROWS = [
  'NestJS and TypeORM find',
  'TypeORM find with relations',
  'batches of raw queries',
  'only read the same rows',
  'GET /products',
  'the same bytes from memory',
  'prices: one raw query, JSON.stringify',
  'GET /products, 304',
];
const result = {
  product: 'MariaDB 10.11',
  node: '24.21.0',
  taken: '2026-11-30',
  machine: 'A Processor With A Long Name, 2 cores, 24 GiB, Node 24.21.0',
  server: 'Server 10.11.19-MariaDB-0+deb12u1, innodb_flush_log_at_trx_commit 1, log_bin 0, buffer pool 128 MiB',
  rows: Object.fromEntries(ROWS.map((row, index) => [row, { milliseconds: 9999 / 7 ** index }])),
  aims: [
    { row: 'GET /products', figure: 0.5, most: 0.8 },
    { row: 'GET /products', figure: 10, least: 2 },
    { row: 'GET /products, 304', figure: 2, most: 1.6 },
  ],
};
const svg = chart(result);

/** The boxes of the texts, for a font whose letters are wide. */
const texts = [...svg.matchAll(/<text x="(\d+)" y="(\d+)"([^>]*)>([^<]*)/g)].map(([, x, y, attributes, content]) => {
  const width = content.length * (attributes.includes('small') ? 6.2 : 6.6);
  const before = { end: width, middle: width / 2 }[/text-anchor="(\w+)"/.exec(attributes)?.[1]] ?? 0;
  return { content, left: x - before, right: x - before + width, top: y - 11, bottom: Number(y) + 3 };
});
const meet = (one, other) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

test('no grid line crosses a text, and no two texts overlap', () => {
  const lines = [...svg.matchAll(/<line x1="(\d+)" x2="\d+" y1="(\d+)" y2="(\d+)"/g)].map(([, x, top, bottom]) => ({
    content: `line at ${x}`,
    left: Number(x),
    right: Number(x) + 1,
    top: Number(top),
    bottom: Number(bottom),
  }));
  expect(lines).toHaveLength(6);
  const problems = texts.flatMap((text, index) =>
    [...lines, ...texts.slice(index + 1)]
      .filter((other) => meet(text, other))
      .map((other) => [text.content, other.content]),
  );
  expect(problems).toEqual([]);
});

test('the texts are inside the chart', () => {
  const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg).map(Number);
  const outside = texts.filter(
    ({ left, right, top, bottom }) => left < 0 || right > width || top < 0 || bottom > height,
  );
  expect(outside).toEqual([]);
});

test('the chart names the server, the version of Node and the date', () => {
  for (const part of ['MariaDB 10.11, Node 24.21.0', '2026-11-30']) expect(svg).toContain(part);
});

test('a row shows the strictest of its limits as a time, and whether it is missed', () => {
  const contents = texts.map(({ content }) => content);
  // 4.2 ms at a ratio of 0.5 may be 6.7 ms at 0.8.
  expect(contents).toContain('4.2 ms (limit 6.7 ms)');
  expect(contents).toContain('0.012 ms (limit 0.0097 ms, missed)');
});
