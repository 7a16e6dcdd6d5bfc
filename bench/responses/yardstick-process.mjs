// A small Express application with the yardsticks, in its own process. Yardsticks that only read rows return no body.
import express from 'express';
import mysql from 'mysql2/promise';
import { DataSource, IsNull, Not } from 'typeorm';
import { productsInBatches } from './yardstick-batches.mjs';
import { ENTITIES, relations } from './yardstick-entities.mjs';
import { startNest } from './yardstick-nest.mjs';
import { NORMALISED_ROWS, PRICES, STATE, STOCK } from './yardstick-queries.mjs';

const url = process.env.DATABASE_URL;
/** The terms of BENCH-A. */
const terms = { list: 'EUR-A', warehouse: 'NL01', discount: 12.5 };
const connection = await mysql.createConnection({ uri: url, namedPlaceholders: true });
const dataSource = await new DataSource({ type: 'mysql', url, entities: ENTITIES }).initialize();
const buffers = new Map();
const app = express();

/** What most code would write: all columns and relations of the eligible products, as entities. */
function findProducts() {
  const where = { prices: { PriceListCode: terms.list } };
  return dataSource.getRepository('products').find({
    where: [
      { ...where, Status: IsNull() },
      { ...where, Status: Not('OBSOLETE') },
    ],
    relations,
    order: { SKU: 'ASC' },
  });
}

app.get('/typeorm', async (_request, response) => response.json(await findProducts()));

app.get('/batched', async (_request, response) => {
  response.type('application/json');
  for await (const piece of productsInBatches(connection, terms)) response.write(piece);
  response.end();
});

app.get('/floor-a', async (_request, response) => {
  for (const sql of NORMALISED_ROWS) await connection.query({ sql, rowsAsArray: true }, terms);
  response.status(204).end();
});

for (const [path, sql] of Object.entries({ '/stock': STOCK, '/prices': PRICES }))
  app.get(path, async (_request, response) => {
    const [rows] = await connection.query(sql, terms);
    response.set('X-Length', JSON.stringify(rows).length).status(204).end();
  });

// The minimum cost of a response that depends on the database.
app.get('/one-query', async (_request, response) => {
  await connection.query('SELECT 1');
  response.status(204).end();
});

// The minimum cost of a 304: the query that finds out whether anything has changed.
app.get('/state-query', async (_request, response) => {
  const [rows] = await connection.execute(STATE, [1, 'BENCH-A']);
  response.status(rows.length ? 204 : 404).end();
});

app.get('/buffer/:bytes', ({ params: { bytes } }, response) => {
  if (!buffers.has(bytes)) buffers.set(bytes, Buffer.alloc(Number(bytes), 'x'));
  response.end(buffers.get(bytes));
});

app.get('/api/version', (_request, response) => response.json({ apiVersion: '1.0.0' }));

const nestUrl = await startNest(findProducts);
const server = app.listen(0, '127.0.0.1', () =>
  process.send({ url: `http://127.0.0.1:${server.address().port}`, nestUrl }),
);
