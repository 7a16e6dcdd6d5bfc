import { type Clause, clause, holds, matches, notTestable, same } from '../clause.js';
import { catalogue, jsonOf } from '../data.js';
import type { Deployment } from '../deployment.js';
import { CHANGES_PATHS, JSON_TYPE } from '../endpoints.js';
import type { ReceivedResponse } from '../http.js';

const CHANGING = 'needs imports between two requests';

/** Decisions 179 to 182: what changed since an earlier response. */
export const CHANGES: Clause[] = [
  clause(
    'decision 179 complete',
    'without a base, /changes has every element of the whole response (§11.4, §11.8)',
    async (deployment) => {
      const whole = await catalogue(deployment);
      for (const path of CHANGES_PATHS) {
        const body = complete(path, await deployment.send({ path }));
        const { bytes } = whole[wholePath(path)];
        const text = `"Changed":${bytes.toString()},"Gone":[]}`;
        holds(body.endsWith(text), `the bytes of ${wholePath(path)} as Changed`, body.slice(0, 300));
      }
    },
  ),
  clause(
    'decision 179 header',
    'the ETag is weak, the body repeats it, and no cache keeps it (§11.9)',
    async (deployment) => {
      for (const path of CHANGES_PATHS) {
        const response = await deployment.ask({ path });
        matches(`ETag of ${path}`, response.headers.etag, /^W\/"[\x21\x23-\x7e]+"$/);
        same(`Cache-Control of ${path}`, response.headers['cache-control'], 'private, no-store');
        same(`Content-Type of ${path}`, response.headers['content-type'], JSON_TYPE);
        same(`the key ETag of ${path}`, (jsonOf(response) as { ETag: string }).ETag, response.headers.etag);
      }
    },
  ),
  clause(
    'decision 179 unchanged',
    'the ETag of the current state returns 304, from the endpoint or from its /changes (§11.1, §11.2)',
    async (deployment) => {
      const whole = await catalogue(deployment);
      for (const path of CHANGES_PATHS)
        for (const etag of [whole[wholePath(path)].headers.etag, (await deployment.ask({ path })).headers.etag]) {
          const response = await since(deployment, path, etag!);
          same(`status and body of ${path}`, [response.status, response.bytes.length], [304, 0]);
        }
    },
  ),
  clause(
    'decision 179 unknown',
    'an unknown tag, * and the tag of another path return every element (§11.4, §11.5, §11.7)',
    async (deployment) => {
      const prices = (await deployment.ask({ path: '/prices' })).headers.etag!;
      const own = (await deployment.ask({ path: '/stock' })).headers.etag!;
      for (const tag of ['"unknown"', 'W/"a.b.c"', '*', prices, `${own}, "unknown"`])
        complete('/stock/changes', await since(deployment, '/stock/changes', tag));
    },
  ),
  clause(
    'decision 179 lines',
    'NDJSON ends with {"End":true}, and CSV is not available (§11.8, §11.10)',
    async (deployment) => {
      for (const path of CHANGES_PATHS) {
        const lines = await deployment.ask({ path, headers: { Accept: 'application/x-ndjson' } });
        matches(
          `NDJSON of ${path}`,
          lines.bytes.toString(),
          /^\{"ETag":"W\/.*","Complete":true\}\n(\{"Changed":.*\}\n)*\{"End":true\}\n$/,
        );
        same(`status of CSV`, (await deployment.ask({ path, headers: { Accept: 'text/csv' } })).status, 406);
      }
    },
  ),
  clause(
    'decision 179 deltas',
    'a delta leads from the base to the present (§11.3, §11.7, §11.11)',
    notTestable(CHANGING),
  ),
  clause('decision 180', 'the change log shows what it covers', notTestable(CHANGING)),
  clause('decision 181', 'Gone names no SKU of other price lists (§11.6)', notTestable(CHANGING)),
  clause(
    'decision 182',
    'an endpoint has /changes if each element depends on its own SKU alone',
    notTestable('is for engineers: no client sees it'),
  ),
];

const wholePath = (path: string) => path.replace(/\/changes$/, '') as '/products' | '/stock' | '/prices';

const since = (deployment: Deployment, path: string, etag: string) =>
  deployment.send({ path, headers: { 'If-None-Match': etag } });

/** @returns the body @throws {Broken} if the response is not complete */
function complete(path: string, response: ReceivedResponse): string {
  same(`status of ${path}`, response.status, 200);
  same(`Complete of ${path}`, (jsonOf(response) as { Complete: boolean }).Complete, true);
  return response.bytes.toString();
}
