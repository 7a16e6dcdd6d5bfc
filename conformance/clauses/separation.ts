import { type Clause, clause, holds, same } from '../clause.js';
import { catalogue, DATA_PATHS, elementsOf } from '../data.js';
import { type Deployment, formCall } from '../deployment.js';
import { quotaWindowOf } from '../quota-window.js';

const ROUNDS = 3;

/** §1 and §5.4, what keeps customers apart: needs a second one. */
export const SEPARATION: Clause[] = [
  clause('§5.4 own-data', 'each customer gets prices and stock of one list and one warehouse', async (deployment) => {
    deployment.credentials('other');
    const { '/products': products, '/stock': stock, '/prices': prices } = await catalogue(deployment, 'other');
    const skus = (answer: typeof products) => elementsOf(answer).map(({ SKU }) => SKU);
    same('SKUs of /prices', skus(prices), skus(products));
    const known = new Set(skus(products));
    same(
      'stock of others',
      skus(stock).filter((sku) => !known.has(sku)),
      [],
    );
    for (const [answer, key] of [
      [prices, 'PriceListCode'],
      [stock, 'StockLocation'],
    ] as const)
      holds(new Set(elementsOf(answer).map((element) => element[key])).size <= 1, `one ${key}`, 'several');
  }),
  clause('§5.4 subject', 'each token names its customer', async (deployment) => {
    for (const who of ['customer', 'other'] as const) {
      const { clientId } = deployment.credentials(who);
      const claims = (await deployment.token(who)).split('.')[1]!;
      same('sub', (JSON.parse(Buffer.from(claims, 'base64url').toString()) as { sub: unknown }).sub, clientId);
    }
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
          answer: await deployment.send({ path, as }),
        }));
        for (const { expected, answer } of await Promise.all(both)) {
          const changed = answer.headers.etag !== expected.headers.etag;
          holds(changed || answer.bytes.equals(expected.bytes), `the same ${path} for the same ETag`, 'another');
        }
      }
  }),
  clause('decision 71 of-the-terms', 'the same ETag for two customers is the same answer', async (deployment) => {
    deployment.credentials('other');
    const [one, other] = [await catalogue(deployment), await catalogue(deployment, 'other')];
    for (const path of DATA_PATHS)
      same(
        `${path}: same ETag, as same bytes`,
        one[path].headers.etag === other[path].headers.etag,
        one[path].bytes.equals(other[path].bytes),
      );
  }),
  clause('§8.4 own-quota', 'each has a quota of its own', async (deployment) => {
    deployment.credentials('other');
    const told = await twoRoundsOf(deployment);
    holds(told, 'that requests of the one take nothing from the other', 'less and less');
  }),
];

/** Whether a customer's request takes one, however many the other sends in between. */
async function twoRoundsOf(deployment: Deployment): Promise<boolean> {
  const left = async (as: 'customer' | 'other') => quotaWindowOf(await deployment.send({ path: '/api/version', as }));
  for (let attempt = 1; attempt <= 4; attempt++) {
    const before = await left('customer');
    await left('other');
    const after = await left('customer');
    if (before && before.reset === after?.reset && before.remaining - after.remaining === 1) return true;
  }
  return false;
}
