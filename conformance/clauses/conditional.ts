import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type Clause, clause, holds, matches, notTestable, same } from '../clause.js';
import { sameBytes } from '../data.js';
import type { Call, Deployment } from '../deployment.js';
import { DATA_PATHS, VALIDATED } from '../endpoints.js';
import type { ReceivedResponse } from '../http.js';

/** Decisions 71 to 73 and 89: conditional requests and compressed responses. */
export const CONDITIONAL: Clause[] = [
  clause('decision 71 strong', 'responses have a strong ETag (§4)', async (deployment) => {
    for (const path of VALIDATED)
      matches(`ETag of ${path}`, (await deployment.ask({ path })).headers.etag, /^"[\x21\x23-\x7e]+"$/);
  }),
  clause(
    'decision 72 headers',
    'responses are private, and a cache must revalidate them each time (§4)',
    async (deployment) => {
      for (const path of VALIDATED) expectCacheHeaders(path, await deployment.ask({ path }));
    },
  ),
  clause(
    'decision 72 unchanged',
    'the current ETag returns 304 with the headers of the response (§4)',
    async (deployment) => {
      for (const path of VALIDATED) {
        const { etag, response } = await sendConditional(deployment, path, (known) => known);
        same(`status, body and ETag of ${path}`, summaryOf(response), [304, 0, etag]);
        expectCacheHeaders(path, response);
      }
    },
  ),
  clause('decision 72 lists', 'If-None-Match may hold a list, a weak ETag or * (RFC 9110)', async (deployment) => {
    for (const spelling of [(etag: string) => `"other", ${etag}`, (etag: string) => `W/${etag}`, () => '*']) {
      const { etag, response } = await sendConditional(deployment, '/stock', spelling);
      same(`status for If-None-Match: ${spelling('"…"')}`, summaryOf(response), [304, 0, etag]);
    }
  }),
  clause('decision 201', 'a tag matches without quotes and with the suffix of a proxy (§4)', async (deployment) => {
    const spellings = [(etag: string) => etag.slice(1, -1), (etag: string) => etag.replace(/"$/, '-gzip"')];
    for (const path of VALIDATED)
      for (const spelling of spellings) {
        const { etag, response } = await sendConditional(deployment, path, spelling);
        same(`status of ${path} for If-None-Match: ${spelling('"…"')}`, summaryOf(response), [304, 0, etag]);
      }
    const { response } = await sendConditional(deployment, '/stock', () => '"other-gzip"');
    same('status for another tag', response.status, 200);
  }),
  clause(
    'decision 89',
    'the current ETag with Cache-Control: no-cache, as fetch sends it, returns 304',
    async (deployment) => {
      for (const path of ['/stock', '/stock/schema']) {
        const { response } = await sendConditional(deployment, path, (known) => known, {
          headers: { 'Cache-Control': 'no-cache' },
        });
        same(`status of ${path}`, response.status, 304);
      }
    },
  ),
  clause('decision 72 changed', 'another ETag returns the full response', async (deployment) => {
    const { response } = await sendConditional(deployment, '/prices', () => '"other"');
    same('status', response.status, 200);
  }),
  clause('decision 72 head', 'HEAD with the current ETag returns 304', async (deployment) => {
    const { response } = await sendConditional(deployment, '/products', (known) => known, { method: 'HEAD' });
    same('status', response.status, 304);
  }),
  clause('decision 72 errors', 'errors have no ETag', async (deployment) => {
    for (const call of [{ path: '/nowhere' }, { path: '/products', as: 'anonymous' }] as const)
      same(`ETag of ${call.path}`, (await deployment.ask(call)).headers.etag, undefined);
  }),
  ...(['gzip', 'br'] as const).map((encoding) =>
    clause(
      `decision 73 ${encoding}`,
      `data is compressed with ${encoding} if the client accepts it (§4)`,
      async (deployment) => {
        for (const path of DATA_PATHS) {
          const response = await ask(deployment, path, encoding);
          same(`Content-Encoding of ${path}`, response.headers['content-encoding'], encoding);
          expectCacheHeaders(path, response);
          const decoded = (encoding === 'br' ? brotliDecompressSync : gunzipSync)(response.bytes);
          await sameBytes(deployment, path, decoded);
        }
      },
    ),
  ),
  clause(
    'decision 73 not-asked',
    'data is not compressed if the client accepts no encoding or prefers identity',
    async (deployment) => {
      for (const accepted of ['identity', 'gzip;q=0, br;q=0', 'identity, gzip;q=0.1'])
        same(
          `Content-Encoding for ${accepted}`,
          (await ask(deployment, '/stock', accepted)).headers['content-encoding'],
          undefined,
        );
    },
  ),
  clause('decision 71 encodings', 'each encoding has its own ETag', async (deployment) => {
    const etags = [(await deployment.ask({ path: '/stock' })).headers.etag];
    for (const encoding of ['gzip', 'br']) etags.push((await ask(deployment, '/stock', encoding)).headers.etag);
    same('number of different ETags', new Set(etags).size, 3);
  }),
  clause(
    'decision 71 replicas',
    'replicas return the same ETag, and it does not change with the data of other customers',
    notTestable('needs the identity of the replica that responds, and changes of data'),
  ),
];

const ask = (deployment: Deployment, path: string, accepted: string) =>
  deployment.ask({ path, headers: { 'Accept-Encoding': accepted } });

const summaryOf = ({ status, bytes, headers }: ReceivedResponse) => [status, bytes.length, headers.etag];

/** The ETag of a path, and the response to a request with this ETag in If-None-Match, as `spell` writes it. */
async function sendConditional(
  deployment: Deployment,
  path: string,
  spell: (etag: string) => string,
  call: Partial<Call> = {},
) {
  const { etag } = (await deployment.ask({ path })).headers;
  holds(etag !== undefined, `an ETag of ${path}`, etag);
  const conditional = (known: string) => ({
    path,
    ...call,
    headers: { ...call.headers, 'If-None-Match': spell(known) },
  });
  const response = await deployment.ask(conditional(etag));
  const latest = response.headers.etag;
  if (response.status === 304 || latest === undefined || latest === etag) return { etag, response };
  // The content changed in between: repeat with the latest ETag.
  return { etag: latest, response: await deployment.send(conditional(latest)) };
}

function expectCacheHeaders(path: string, { headers }: ReceivedResponse): void {
  const about = [headers['cache-control'], headers.vary];
  const expected = ['private, no-cache', 'Authorization, Accept, Accept-Encoding'];
  same(`Cache-Control and Vary of ${path}`, about, expected);
}
