import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type Clause, clause, holds, matches, notTestable, same } from '../clause.js';
import { sameBytes } from '../data.js';
import type { Call, Deployment } from '../deployment.js';
import { DATA_PATHS, VALIDATED } from '../endpoints.js';
import type { ReceivedResponse } from '../http.js';

/** Decisions 71 to 73: answers that are kept and asked for again, and compressed ones. */
export const CONDITIONAL: Clause[] = [
  clause('decision 71 strong', 'answers have a strong ETag (§4)', async (deployment) => {
    for (const path of VALIDATED)
      matches(`ETag of ${path}`, (await deployment.ask({ path })).headers.etag, /^"[\x21\x23-\x7e]+"$/);
  }),
  clause('decision 72 headers', 'they are private, and asked for again each time (§4)', async (deployment) => {
    for (const path of VALIDATED) keepable(path, await deployment.ask({ path }));
  }),
  clause('decision 72 unchanged', 'who has the answer gets 304, with its headers (§4)', async (deployment) => {
    for (const path of VALIDATED) {
      const { etag, response } = await again(deployment, path, (known) => known);
      same(`status, body and ETag of ${path}`, told(response), [304, 0, etag]);
      keepable(path, response);
    }
  }),
  clause('decision 72 lists', 'it may be one in a list, a weak one, or * (RFC 9110)', async (deployment) => {
    for (const spelling of [(etag: string) => `"other", ${etag}`, (etag: string) => `W/${etag}`, () => '*']) {
      const { etag, response } = await again(deployment, '/stock', spelling);
      same(`status for If-None-Match: ${spelling('"…"')}`, told(response), [304, 0, etag]);
    }
  }),
  clause('decision 89', 'also who sends Cache-Control: no-cache along, as fetch does', async (deployment) => {
    for (const path of ['/stock', '/stock/schema']) {
      const { response } = await again(deployment, path, (known) => known, {
        headers: { 'Cache-Control': 'no-cache' },
      });
      same(`status of ${path}`, response.status, 304);
    }
  }),
  clause('decision 72 changed', 'another one gets the whole answer', async (deployment) => {
    const { response } = await again(deployment, '/prices', () => '"other"');
    same('status', response.status, 200);
  }),
  clause('decision 72 head', 'HEAD is answered 304, too', async (deployment) => {
    const { response } = await again(deployment, '/products', (known) => known, { method: 'HEAD' });
    same('status', response.status, 304);
  }),
  clause('decision 72 errors', 'errors have no ETag', async (deployment) => {
    for (const call of [{ path: '/nowhere' }, { path: '/products', as: 'nobody' }] as const)
      same(`ETag of ${call.path}`, (await deployment.ask(call)).headers.etag, undefined);
  }),
  ...(['gzip', 'br'] as const).map((encoding) =>
    clause(`decision 73 ${encoding}`, `data is compressed for who asks for ${encoding} (§4)`, async (deployment) => {
      for (const path of DATA_PATHS) {
        const response = await ask(deployment, path, encoding);
        same(`Content-Encoding of ${path}`, response.headers['content-encoding'], encoding);
        keepable(path, response);
        const decoded = (encoding === 'br' ? brotliDecompressSync : gunzipSync)(response.bytes);
        await sameBytes(deployment, path, decoded);
      }
    }),
  ),
  clause('decision 73 not-asked', 'it is not for who does not, or says q=0', async (deployment) => {
    for (const accepted of ['identity', 'gzip;q=0, br;q=0', 'identity, gzip;q=0.1'])
      same(
        `Content-Encoding for ${accepted}`,
        (await ask(deployment, '/stock', accepted)).headers['content-encoding'],
        undefined,
      );
  }),
  clause('decision 71 encodings', 'each encoding has an ETag of its own', async (deployment) => {
    const etags = [(await deployment.ask({ path: '/stock' })).headers.etag];
    for (const encoding of ['gzip', 'br']) etags.push((await ask(deployment, '/stock', encoding)).headers.etag);
    same('number of different ETags', new Set(etags).size, 3);
  }),
  clause(
    'decision 71 replicas',
    'replicas give the same ETag, and changes of others’ data none',
    notTestable('needs to know which replica answers, and changes of data'),
  ),
];

const ask = (deployment: Deployment, path: string, accepted: string) =>
  deployment.ask({ path, headers: { 'Accept-Encoding': accepted } });

const told = ({ status, bytes, headers }: ReceivedResponse) => [status, bytes.length, headers.etag];

/** The answer to who has the answer already, told by the given spelling of its ETag. */
async function again(deployment: Deployment, path: string, spell: (etag: string) => string, call: Partial<Call> = {}) {
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
  // It has changed meanwhile: what counts is the latest.
  return { etag: latest, response: await deployment.send(conditional(latest)) };
}

function keepable(path: string, { headers }: ReceivedResponse): void {
  const about = [headers['cache-control'], headers.vary];
  const expected = ['private, no-cache', 'Authorization, Accept, Accept-Encoding'];
  same(`Cache-Control and Vary of ${path}`, about, expected);
}
