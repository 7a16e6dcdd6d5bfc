// A yardstick: raw rows in batches by key, one query for each table, merged by SKU.
import { ARRAYS, BATCH, PARTS } from './yardstick-queries.mjs';

/** @yields {string} the pieces of a JSON array */
export async function* productsInBatches(connection, terms) {
  let after = '';
  yield '[';
  for (;;) {
    const [products] = await connection.query(BATCH, { ...terms, after });
    if (!products.length) break;
    const skus = products.map(({ SKU }) => SKU);
    const bySku = new Map(products.map((product) => [product.SKU, Object.assign(product, emptyArrays())]));
    for (const name of ARRAYS) {
      const [rows] = await connection.query(PARTS[name], { skus });
      for (const row of rows) bySku.get(row.SKU)[name].push(row);
    }
    yield (after ? ',' : '') + products.map((product) => JSON.stringify(product)).join();
    after = skus.at(-1);
  }
  yield ']';
}

const emptyArrays = () => Object.fromEntries(ARRAYS.map((name) => [name, []]));
