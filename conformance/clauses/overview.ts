import { type Clause, clause, notTestable, same } from '../clause.js';
import { NotTestable } from '../failure.js';
import { type DataPath, sameBytes } from '../data.js';
import { DATA_PATHS } from '../endpoints.js';
import type { Call, Deployment } from '../deployment.js';

/** What means something in other interfaces, and must mean nothing here. */
const FOREIGN_PARAMETERS = 'page=2&limit=1&SKU=none&CustomerCode=none&PriceListCode=none&apiVersion=1999-01';

/** §1: what the service does. */
export const OVERVIEW: Clause[] = [
  clause('§1 https', 'it is reached by HTTPS', ({ target: { url } }) => {
    if (url.protocol !== 'https:') throw new NotTestable('the address given is not that of whatever ends TLS');
  }),
  clause('§1 no-cors', 'no answer allows browsers on other origins', async (deployment) => {
    const { headers } = await deployment.ask({ path: '/api/version', headers: { Origin: 'https://shop.example' } });
    const allowed = Object.keys(headers).filter((name) => name.startsWith('access-control-'));
    same('headers of CORS', allowed, []);
  }),
  clause('§1 read-only', 'it cannot be written to: 405', async (deployment) => {
    const writes = { '/products': 'POST', '/stock': 'PUT', '/prices': 'DELETE', '/products/schema': 'PATCH' };
    for (const [path, method] of Object.entries(writes))
      same(`status of ${method} ${path}`, (await deployment.ask({ path, method, body: '{}' })).status, 405);
  }),
  clause('§1 no-parameters', 'no parameter changes what is answered (decision 11, §4)', async (deployment) => {
    for (const path of DATA_PATHS) await changesNothing(deployment, path, { path: `${path}?${FOREIGN_PARAMETERS}` });
  }),
  clause('§1 no-body', 'nor does a body, or a header that names a customer (decision 11)', async (deployment) => {
    const headers = { 'Content-Type': 'application/json', 'X-Customer-Code': 'none' };
    await changesNothing(deployment, '/stock', { path: '/stock', headers, body: '{"CustomerCode":"none"}' });
  }),
  clause('§1 no-pages', 'an answer refers to no further page', async (deployment) => {
    for (const path of DATA_PATHS) {
      const { status, headers } = await deployment.ask({ path });
      same(`status and Link of ${path}`, [status, headers.link], [200, undefined]);
    }
  }),
  clause('§6 pull-only', 'it never calls back', notTestable('there is nothing to see, and no way to ask for a call')),
];

/** @throws {Broken} where the answer to the call is another one than that of the bare path */
async function changesNothing(deployment: Deployment, path: DataPath, call: Call): Promise<void> {
  const response = await deployment.send(call);
  same(`status of ${path}`, response.status, 200);
  await sameBytes(deployment, path, response.bytes);
}
