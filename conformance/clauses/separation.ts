import { type Clause, clause, holds, same } from '../clause.js';
import { expectEachCounted } from '../counting.js';
import { catalogue, elementsOf } from '../data.js';
import { DATA_PATHS } from '../endpoints.js';
import { formCall } from '../deployment.js';
import type { ReceivedResponse } from '../http.js';
import { partsOf } from '../jwt.js';

const ROUNDS = 3;

/** §1 and §5.4: the separation of customers. These clauses need a second customer. */
export const SEPARATION: Clause[] = [
  clause('§5.4 subject', 'a token names its customer', async (deployment) => {
    for (const who of ['customer', 'other'] as const) {
      const { clientId } = deployment.credentials(who);
      same('sub', partsOf(await deployment.token(who)).claims.sub, clientId);
    }
  }),
  clause(
    '§5.4 own-data',
    'a second customer gets data of one price list and one warehouse only',
    async (deployment) => {
      deployment.credentials('other');
      const { '/products': products, '/stock': stock, '/prices': prices } = await catalogue(deployment, 'other');
      const priced = valuesOf(products, 'SKU');
      same('SKUs of /prices', valuesOf(prices, 'SKU'), priced);
      const unpriced = [...valuesOf(stock, 'SKU')].filter((sku) => !priced.has(sku));
      same('SKUs of /stock without a price', unpriced, []);
      const [lists, warehouses] = [valuesOf(prices, 'PriceListCode'), valuesOf(stock, 'StockLocation')];
      holds(lists.size <= 1 && warehouses.size <= 1, 'one price list and one warehouse', [...lists, ...warehouses]);
    },
  ),
  clause('§5.8 foreign-key', 'the API key of one customer does not work for another', async (deployment) => {
    const { clientId: client_id } = deployment.credentials('other');
    const { clientSecret: client_secret } = deployment.credentials();
    const call = formCall({ grant_type: 'client_credentials', client_id, client_secret });
    same('status', (await deployment.ask(call)).status, 401);
  }),
  clause(
    '§1 never-another',
    'two customers that send requests at the same time get their own data (§5.4)',
    async (deployment) => {
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
            holds(
              changed || response.bytes.equals(expected.bytes),
              `the same bytes of ${path} for the same ETag`,
              'other bytes',
            );
          }
        }
    },
  ),
  clause('decision 71 of-the-terms', 'the same ETag for two customers means the same response', async (deployment) => {
    deployment.credentials('other');
    const [one, other] = [await catalogue(deployment), await catalogue(deployment, 'other')];
    for (const path of DATA_PATHS) {
      const { etag } = one[path].headers;
      if (etag !== undefined && etag === other[path].headers.etag)
        holds(one[path].bytes.equals(other[path].bytes), `one response of ${path} for ETag ${etag}`, 'two responses');
    }
  }),
  clause('§8.4 own-quota', 'a customer has its own quota', async (deployment) => {
    deployment.credentials('other');
    const call = { path: '/api/version' };
    await expectEachCounted(deployment, [call, call], [{ ...call, as: 'other' }]);
  }),
];

const valuesOf = (response: ReceivedResponse, key: string) =>
  new Set(elementsOf(response).map((element) => element[key]));
