import { createHash } from 'node:crypto';
import type { ClientFleet } from './client-fleet.js';
import { type ReceivedResponse, call, type Call, tokenCall, tokenIn } from './http-call.js';
import { importFiles } from './import-files.js';
import type { TestDatabase } from './test-service.js';

/** Limits that these clients never reach. */
export const QUOTAS = ['1000000', '1000000'] as const;

/** A customer with a few products. */
const SHOP = 'SHOP';
/**
 * Customers with a `/products` response of 60 MB. This is far more than sockets buffer, which is up to 20 MB if clients
 * read continuously.
 */
export const GIANTS = ['GIANT-1', 'GIANT-2'];
const [PRODUCTS, CHARACTERS] = [1500, 40_000];

export async function loadFleetCatalogue(database: TestDatabase): Promise<void> {
  const skus = Array.from({ length: PRODUCTS }, (_, index) => `P-${index}`);
  await database.load(
    importFiles({
      'price_lists.csv': ['ALL', 'FEW'].map((code) => [code, '', 'EUR']),
      'warehouses.csv': [['W']],
      'products.csv': skus.map((sku) => [sku, 'Name', 'x'.repeat(CHARACTERS)]),
      'prices.csv': [...skus.map(price('ALL')), ...skus.slice(0, 10).map(price('FEW'))],
      'stock.csv': skus.map((sku) => ['W', sku, '5']),
      'customers.csv': [
        [SHOP, '', 'FEW', 'W', '0', ...QUOTAS],
        ...GIANTS.map((code) => [code, '', 'ALL', 'W', '0', ...QUOTAS]),
      ],
    }),
  );
}

/** Requests a token for the customer with a new API key. */
export async function tokenFor(customer: string, url: string, database: TestDatabase): Promise<string> {
  return tokenIn(await call(url, tokenCall(customer, await database.cliOk('key', 'issue', customer))));
}

/** Adds well-behaved clients of a shop, the given number of each kind, each with its expected responses. */
export async function addShopClients(
  fleet: ClientFleet,
  url: string,
  database: TestDatabase,
  counts: { small: number; data: number; conditional: number; token: number },
): Promise<void> {
  const token = await tokenFor(SHOP, url, database);
  const small = ['/api/version', '/health', '/products/schema', '/stock/schema'].map((path) => ({ path, token }));
  fleet.polling('small', counts.small, small, await expecting(url, small));

  const data = ['/products', '/stock', '/prices'].map((path) => ({ path, token }));
  fleet.polling('data', counts.data, data, await expecting(url, data));

  const conditional = await Promise.all(
    data.map(async (one) => ({ ...one, headers: { 'If-None-Match': (await call(url, one)).headers.etag } })),
  );
  fleet.polling('conditional', counts.conditional, conditional, ({ status }) =>
    status === 304 ? undefined : `${status}`,
  );

  // A token is requested once per hour, hence on a new connection. No client retries a POST.
  const login = { ...tokenCall(SHOP, await database.cliOk('key', 'issue', SHOP)), agent: false };
  fleet.polling('token', counts.token, [login], (response) => (tokenIn(response) ? undefined : 'no token'));
}

export const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Returns a check that reports each response that differs from the present ones. */
async function expecting(
  url: string,
  calls: readonly Call[],
): Promise<(response: ReceivedResponse) => string | undefined> {
  const expected = new Set<string>();
  for (const one of calls) expected.add(describe(await call(url, one)));
  return (response) => (expected.has(describe(response)) ? undefined : describe(response));
}

const price = (list: string) => (sku: string) => [list, sku, '10', '', '', 'true'];
const describe = ({ status, bytes }: ReceivedResponse) => `${status}, ${bytes.length} bytes, ${digestOf(bytes)}`;
