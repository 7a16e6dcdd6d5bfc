import { type Clause, clause, holds, matches, notTestable, same } from '../clause.js';
import { expectEachCounted } from '../counting.js';
import { jsonOf } from '../data.js';
import type { Call, Deployment } from '../deployment.js';
import { JSON_TYPE } from '../endpoints.js';

const LINES_TYPE = 'application/x-ndjson; charset=utf-8';
const CSV_TYPE = 'text/csv; charset=utf-8; header=present';
const VARIANTS = [
  'application/json',
  'application/x-ndjson',
  'text/csv',
  'text/csv;bom=1',
  'text/csv;delimiter=semicolon',
  'text/csv;decimal=comma',
];

/** §10 and §10.1: the choice of the format. */
export const FORMATS: Clause[] = [
  negotiated('§10 types', 'a data endpoint returns the requested format (decision 90)', {
    'application/json': JSON_TYPE,
    'application/x-ndjson': LINES_TYPE,
    'text/csv': CSV_TYPE,
  }),
  clause('§10 etags', 'each format and variant has its own ETag', async (deployment) => {
    const etags: unknown[] = [];
    for (const accept of VARIANTS) etags.push((await deployment.ask(head(accept))).headers.etag);
    same('number of different ETags', new Set(etags).size, VARIANTS.length);
  }),
  clause('§10 elsewhere', 'other endpoints and errors ignore Accept (decision 90)', async (deployment) => {
    const headers = { Accept: 'text/csv' };
    const calls: Call[] = [
      { path: '/api/version', headers },
      { path: '/stock/schema', headers },
      { path: '/nowhere', headers },
      { path: '/stock', as: 'anonymous', headers },
    ];
    for (const call of calls)
      same(`Content-Type of ${call.path}`, (await deployment.ask(call)).headers['content-type'], JSON_TYPE);
  }),
  negotiated('§10.1.1 preferred', 'the format with the highest q wins, then JSON, then NDJSON (decision 90)', {
    'text/csv, application/x-ndjson, application/json': JSON_TYPE,
    'text/csv, application/x-ndjson': LINES_TYPE,
    'application/json;q=0.5, text/csv': CSV_TYPE,
  }),
  negotiated('§10.1.2 most-exact', 'the most specific media range decides', {
    'application/json;q=0, */*': LINES_TYPE,
  }),
  negotiated('§10.1.3 default', 'without a usable Accept the format is JSON (decision 90)', {
    '': JSON_TYPE,
    'nonsense;;q=x,,': JSON_TYPE,
    '*/*': JSON_TYPE,
    '*': JSON_TYPE,
    'application/*': JSON_TYPE,
    'text/*': CSV_TYPE,
  }),
  negotiated('§10.1.4 parameters', 'each format accepts its parameters, and JSON accepts any (decision 91)', {
    'application/json;odata=verbose': JSON_TYPE,
    'application/x-ndjson;charset=utf-8': LINES_TYPE,
    'text/csv;charset=utf-8;header=present;bom=0;delimiter=comma;decimal=point': CSV_TYPE,
    'text/csv;charset=utf8': CSV_TYPE,
  }),
  negotiated('decision 200 repeated', 'Content-Type repeats the parameters that differ from the default (§10)', {
    'text/csv;bom=1': `${CSV_TYPE}; bom=1`,
    'text/csv;delimiter=semicolon': `${CSV_TYPE}; delimiter=semicolon`,
    'text/csv;decimal=comma': `${CSV_TYPE}; delimiter=semicolon; decimal=comma`,
  }),
  clause('§10.1.4 misspelt', 'other parameters of CSV return 406 (decision 91)', async (deployment) => {
    for (const accept of [
      'text/csv;delimiter=pipe',
      'text/csv;delimiter=comma;decimal=comma',
      'text/csv;charset=latin1',
      'text/csv;delimeter=semicolon',
    ])
      same(`status for ${accept}`, (await deployment.ask(head(accept))).status, 406);
  }),
  clause('§10.1.5 none', 'an unavailable format returns 406 in JSON (decision 90, §7)', async (deployment) => {
    const response = await deployment.ask({ path: '/stock', headers: { Accept: 'image/png' } });
    same('status and Content-Type', [response.status, response.headers['content-type']], [406, JSON_TYPE]);
    const body = jsonOf(response) as Record<string, unknown>;
    same('keys', Object.keys(body), ['error']);
    matches('error', body.error, /application\/json.*application\/x-ndjson.*text\/csv/);
  }),
  clause('§10.1.5 after-401', '401 takes precedence over 406, and a 406 counts', async (deployment) => {
    const headers = { Accept: 'image/png' };
    same('status', (await deployment.ask({ path: '/stock', as: 'anonymous', headers })).status, 401);
    await expectEachCounted(deployment, [
      { path: '/api/version' },
      { path: '/stock', headers },
      { path: '/api/version' },
    ]);
  }),
  clause(
    '§10.4 cut',
    'a client can recognise an aborted response by its missing end',
    notTestable('needs a failure during a response'),
  ),
];

/** @param types the expected Content-Type for each Accept */
function negotiated(id: string, text: string, types: Record<string, string>): Clause {
  return clause(id, text, async (deployment: Deployment) => {
    for (const [accept, type] of Object.entries(types)) {
      const { status, headers } = await deployment.ask(head(accept));
      holds(status === 200 && headers['content-type'] === type, `${type} for Accept: ${accept}`, [
        status,
        headers['content-type'],
      ]);
    }
  });
}

const head = (Accept: string): Call => ({ path: '/stock', method: 'HEAD', headers: { Accept } });
