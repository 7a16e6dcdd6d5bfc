import { type Clause, clause, holds, same } from '../clause.js';
import { eachTakesOne } from '../counting.js';
import { catalogue, elementsOf } from '../data.js';
import { DATA_PATHS } from '../endpoints.js';
import { formCall } from '../deployment.js';
import type { ReceivedResponse } from '../http.js';
import { partsOf } from '../jwt.js';

const ROUNDS = 3;

/** §1 and §5.4, what keeps customers apart: needs a second one. */
export const SEPARATION: Clause[] = [
  clause('§5.4 subject', 'each token names its customer', async (deployment) => {
    for (const who of ['customer', 'other'] as const) {
      const { clientId } = deployment.credentials(who);
      same('sub', partsOf(await deployment.token(who)).claims.sub, clientId);
    }
  }),
  clause('§5.4 own-data', 'another customer has data of one list and one warehouse, too', async (deployment) => {
    deployment.credentials('other');
    const { '/products': products, '/stock': stock, '/prices': prices } = await catalogue(deployment, 'other');
    const priced = valuesOf(products, 'SKU');
    same('SKUs of /prices', valuesOf(prices, 'SKU'), priced);
    const strangers = [...valuesOf(stock, 'SKU')].filter((sku) => !priced.has(sku));
    same('SKUs of /stock that it has no price for', strangers, []);
    const [lists, warehouses] = [valuesOf(prices, 'PriceListCode'), valuesOf(stock, 'StockLocation')];
    holds(lists.size <= 1 && warehouses.size <= 1, 'one of each', [...lists, ...warehouses]);
  }),
  clause('§5.8 foreign-key', 'the key of one is none of the other', async (deployment) => {
    const { clientId: client_id } = deployment.credentials('other');
    const { clientSecret: client_secret } = deployment.credentials();
    const call = formCall({ grant_type: 'client_credentials', client_id, client_secret });
    same('status', (await deployment.ask(call)).status, 401);
  }),
  clause('§1 never-another', 'at the same time, each gets its own answer (§5.4)', async (deployment) => {
    deployment.credentials('other');
    const own = { customer: await catalogue(deployment), other: await catalogue(deployment, 'other') };
    for (let round = 0; round < ROUNDS; round++)
      for (const path of ['/stock', '/prices'] as const) {
        const both = (['customer', 'other'] as const).map(async (as) => ({
          expected: own[as][path],
          response: await deployment.send({ path, as }),
        }));
        for (const { expected, response } of await Promise.all(both)) {
          const changed = response.headers.etag !== expected.headers.etag;
          holds(changed || response.bytes.equals(expected.bytes), `the same ${path} for the same ETag`, 'another');
        }
      }
  }),
  clause('decision 71 of-the-terms', 'the same ETag for two customers is the same answer', async (deployment) => {
    deployment.credentials('other');
    const [one, other] = [await catalogue(deployment), await catalogue(deployment, 'other')];
    for (const path of DATA_PATHS) {
      const { etag } = one[path].headers;
      if (etag !== undefined && etag === other[path].headers.etag)
        holds(one[path].bytes.equals(other[path].bytes), `one answer of ${path} for ETag ${etag}`, 'two');
    }
  }),
  clause('§8.4 own-quota', 'each has a quota of its own', async (deployment) => {
    deployment.credentials('other');
    const call = { path: '/api/version' };
    await eachTakesOne(deployment, [call, call], [{ ...call, as: 'other' }]);
  }),
];

const valuesOf = (response: ReceivedResponse, key: string) =>
  new Set(elementsOf(response).map((element) => element[key]));
