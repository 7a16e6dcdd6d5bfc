// The rows of the chart, and the limits of the service in milliseconds.

/** Each group with its rows: the label, and the row of the results. A label that starts with `GET` or `…` is ours. */
const GROUPS = {
  'All 5,000 products': {
    'NestJS and TypeORM find': 'NestJS and TypeORM find',
    'TypeORM find, JSON.stringify': 'TypeORM find with relations',
    'batches of raw queries': 'batches of raw queries',
    'only read the same rows': 'only read the same rows',
    'GET /products': 'GET /products',
    '… gzip': 'GET /products, gzip',
    '… brotli': 'GET /products, brotli',
    '… repeated': '/products again, identity',
    'a prebuilt buffer': 'the same bytes from memory',
  },
  'Stock and prices': {
    'stock: one query, JSON.stringify': 'stock: one raw query, JSON.stringify',
    'GET /stock': 'GET /stock',
    'prices: one query, JSON.stringify': 'prices: one raw query, JSON.stringify',
    'GET /prices': 'GET /prices',
  },
  'Nothing has changed': {
    'Express with SELECT 1': 'Express with SELECT 1',
    'GET /products, 304': 'GET /products, 304',
  },
};

/**
 * @param {{ rows: object, aims: object[] }} result
 * @returns {({ group: string } | { label: string, milliseconds: number, limit?: number, ours: boolean })[]} the lines of
 *   the chart: titles of groups, and rows
 */
export function rowsOf({ rows, aims }) {
  return Object.entries(GROUPS).flatMap(([group, labels]) => [
    { group },
    ...Object.entries(labels)
      .filter(([, row]) => rows[row])
      .map(([label, row]) => {
        const { milliseconds } = rows[row];
        return { label, milliseconds, limit: limitOf(row, milliseconds, aims), ours: /^(GET|…)/.test(label) };
      }),
  ]);
}

/** The strictest of the limits of a row. An aim limits the ratio to a yardstick, so it gives a time for this run. */
function limitOf(row, milliseconds, aims) {
  const limits = aims
    .filter((aim) => aim.row === row)
    .map(({ figure, least, most }) => milliseconds * (least === undefined ? most / figure : figure / least));
  return limits.length ? Math.min(...limits) : undefined;
}
