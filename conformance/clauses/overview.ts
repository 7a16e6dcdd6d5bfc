import { type Clause, clause, notTestable, same } from '../clause.js';
import { NotTestable } from '../failure.js';
import { type DataPath, sameBytes } from '../data.js';
import { DATA_PATHS } from '../endpoints.js';
import type { Call, Deployment } from '../deployment.js';

/** Parameters of other interfaces, which this one ignores. */
const FOREIGN_PARAMETERS = 'page=2&limit=1&SKU=none&CustomerCode=none&PriceListCode=none&apiVersion=1999-01';

/** §1: what the service does. */
export const OVERVIEW: Clause[] = [
  clause('§1 https', 'the service is reached over HTTPS', ({ target: { url } }) => {
    if (url.protocol !== 'https:') throw new NotTestable('the given URL is not an https address');
  }),
  clause('§1 no-cors', 'no response allows cross-origin requests of browsers', async (deployment) => {
    const { headers } = await deployment.ask({ path: '/api/version', headers: { Origin: 'https://shop.example' } });
    const allowed = Object.keys(headers).filter((name) => name.startsWith('access-control-'));
    same('headers of CORS', allowed, []);
  }),
  clause('§1 read-only', 'the service is read-only: writing methods return 405', async (deployment) => {
    const writes = { '/products': 'POST', '/stock': 'PUT', '/prices': 'DELETE', '/products/schema': 'PATCH' };
    for (const [path, method] of Object.entries(writes))
      same(`status of ${method} ${path}`, (await deployment.ask({ path, method, body: '{}' })).status, 405);
  }),
  clause('§1 no-parameters', 'query parameters do not change the response (decision 11, §4)', async (deployment) => {
    for (const path of DATA_PATHS) await expectUnchanged(deployment, path, { path: `${path}?${FOREIGN_PARAMETERS}` });
  }),
  clause(
    '§1 no-body',
    'a body or a header that names a customer does not change the response (decision 11)',
    async (deployment) => {
      const headers = { 'Content-Type': 'application/json', 'X-Customer-Code': 'none' };
      await expectUnchanged(deployment, '/stock', { path: '/stock', headers, body: '{"CustomerCode":"none"}' });
    },
  ),
  clause('§1 no-pages', 'a response has no Link to a further page', async (deployment) => {
    for (const path of DATA_PATHS) {
      const { status, headers } = await deployment.ask({ path });
      same(`status and Link of ${path}`, [status, headers.link], [200, undefined]);
    }
  }),
  clause('§6 pull-only', 'the service sends no events', notTestable('a client cannot observe the absence of events')),
];

/** @throws {Broken} if the response to the call differs from that of the bare path */
async function expectUnchanged(deployment: Deployment, path: DataPath, call: Call): Promise<void> {
  const response = await deployment.send(call);
  same(`status of ${path}`, response.status, 200);
  await sameBytes(deployment, path, response.bytes);
}
