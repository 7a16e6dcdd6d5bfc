import { type Clause, clause, holds, matches, notTestable, same } from '../clause.js';
import { elementsOf } from '../data.js';
import { DATA_PATHS } from '../endpoints.js';
import type { ReceivedResponse } from '../http.js';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const FORMATS = ['application/json', 'application/x-ndjson', 'text/csv'];

/** §4: the headers that show whether a body is complete and how old its data is. */
export const LAST_ELEMENT: Clause[] = [
  clause('§4 last-sku', 'X-Last-SKU names the last element (decision 111)', async (deployment) => {
    for (const path of DATA_PATHS) {
      const response = await deployment.ask({ path });
      same(`X-Last-SKU of ${path}`, lastSku(response), elementsOf(response).at(-1)?.SKU);
    }
  }),
  clause('§4 last-sku-head', 'HEAD has X-Last-SKU in every format (decision 111)', async (deployment) => {
    const response = await deployment.ask({ path: '/stock' });
    for (const Accept of FORMATS) {
      const head = await deployment.ask({ path: '/stock', method: 'HEAD', headers: { Accept } });
      if (head.headers['x-data-changed'] === response.headers['x-data-changed'])
        same(`X-Last-SKU for ${Accept}`, lastSku(head), lastSku(response));
    }
  }),
  clause('§4 data-changed', 'X-Data-Changed is a past time in UTC (decision 112)', async (deployment) => {
    for (const path of DATA_PATHS) {
      const { 'x-data-changed': changed, date = '' } = (await deployment.ask({ path })).headers;
      if (changed === undefined) continue;
      matches(`X-Data-Changed of ${path}`, changed, TIME);
      // The header Date has no milliseconds, and the clock of the database may differ, so a minute is tolerated.
      holds(Date.parse(String(changed)) < Date.parse(date) + 60_000, `a time of ${path} before ${date}`, changed);
    }
  }),
  clause(
    'decision 110',
    'chunked responses never carry Connection: close (§4)',
    notTestable('a proxy may add this header'),
  ),
  clause('decision 113', 'one ETag means one byte sequence', notTestable('needs many requests')),
];

const lastSku = ({ headers: { 'x-last-sku': sku } }: ReceivedResponse) =>
  sku === undefined ? undefined : decodeURIComponent(String(sku));
