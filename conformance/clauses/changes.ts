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
    'without a base, /changes returns every element of the full response',
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
    '/changes has a weak ETag, repeats it in the body and forbids caching',
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
  clause('decision 179 unchanged', '/changes returns 304 for the current ETag of either path', async (deployment) => {
    const whole = await catalogue(deployment);
    for (const path of CHANGES_PATHS)
      for (const etag of [whole[wholePath(path)].headers.etag, (await deployment.ask({ path })).headers.etag]) {
        const response = await since(deployment, path, etag!);
        same(`status and body of ${path}`, [response.status, response.bytes.length], [304, 0]);
      }
  }),
  clause(
    'decision 179 unknown',
    '/changes returns every element for an unknown ETag, for * and for the ETag of another path',
    async (deployment) => {
      const prices = (await deployment.ask({ path: '/prices' })).headers.etag!;
      for (const tag of ['"unknown"', 'W/"a.b.c"', '*', prices])
        complete('/stock/changes', await since(deployment, '/stock/changes', tag));
    },
  ),
  clause('decision 179 lines', '/changes ends NDJSON with {"End":true} and returns 406 for CSV', async (deployment) => {
    for (const path of CHANGES_PATHS) {
      const lines = await deployment.ask({ path, headers: { Accept: 'application/x-ndjson' } });
      matches(
        `NDJSON of ${path}`,
        lines.bytes.toString(),
        /^\{"ETag":"W\/.*","Complete":true\}\n(\{"Changed":.*\}\n)*\{"End":true\}\n$/,
      );
      same(`status of CSV`, (await deployment.ask({ path, headers: { Accept: 'text/csv' } })).status, 406);
    }
  }),
  clause('decision 179 deltas', 'the changes turn the base state into the current state', notTestable(CHANGING)),
  clause(
    'decision 180',
    '/changes returns every element if the change log does not cover the base',
    notTestable(CHANGING),
  ),
  clause('decision 181', 'Gone names no SKU of other price lists', notTestable(CHANGING)),
  clause(
    'decision 182',
    'an endpoint has /changes if each element depends on its own SKU alone',
    notTestable('concerns engineers: no client can observe it'),
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
