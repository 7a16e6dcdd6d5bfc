import type { HeaderObject, HeadersObject, SchemaObject } from 'openapi3-ts/oas31';

type Text = Pick<SchemaObject, 'pattern' | 'enum' | 'format'>;

/** A header that is always there, unless it says otherwise. */
const header = (description: string, example: string, text: Text = {}, required = true): HeaderObject => ({
  description,
  required,
  schema: { type: 'string', ...text, examples: [example] },
});

/** Every header of an answer that is not HTTP's own. */
export const HEADERS = {
  'X-Request-Id': header(
    'Id of the request in the log; a sane one of the request is kept.',
    '6d14b9f3-3e78-4636-8f2d-5f4f3c5d9fe8',
    { pattern: '^[A-Za-z0-9._-]{1,128}$' },
  ),
  'X-Rate-Limit-Limit': header('Window of the quota that the other two describe.', '1m', { enum: ['1m', '1h'] }),
  'X-Rate-Limit-Remaining': header('Calls left in that window after this one.', '59', { pattern: '^[0-9]+$' }),
  'X-Rate-Limit-Reset': header('When that window ends, in UTC.', '2026-11-27T23:29:24.989Z', {
    format: 'date-time',
    pattern: 'Z$',
  }),
  'Retry-After': header('Seconds to the end of that window.', '59', { pattern: '^[1-9][0-9]*$' }),
  RetryWhenBusy: header(
    'Only if the service is busy: seconds to wait before the next attempt.',
    '9',
    { pattern: '^[1-9][0-9]*$' },
    false,
  ),
  ETag: header(
    'Strong validator. Send it as `If-None-Match`. The same `ETag` means the same bytes, from every replica.',
    '"Ck1Zj2o3iGfPHsDl0yXQ9v4T6u8wBzAe"',
    { pattern: '^"[^"]+"$' },
  ),
  'Cache-Control': header(
    'A client may keep the response, and checks each time whether it is still current.',
    'private, no-cache',
    {
      enum: ['private, no-cache'],
    },
  ),
  Vary: header('Headers of the request that the answer depends on.', 'Authorization, Accept, Accept-Encoding'),
  'Content-Encoding': header('How the body is compressed, if it is.', 'gzip', { enum: ['gzip', 'br'] }, false),
  'X-Last-SKU': header(
    'SKU of the last element, percent-encoded as UTF-8; absent if there is no element. Elements come in the order of ' +
      'their SKUs: if the last element that you received has another SKU, the body is incomplete.',
    'PIR-1001-M',
    { pattern: "^[A-Za-z0-9_.!~*'()%-]+$" },
    false,
  ),
  'X-Data-Changed': header(
    'When the data behind the response last changed, in UTC with milliseconds; absent if that is unknown. Compare ' +
      'the `ETag`, not this time, to find out whether something changed.',
    '2026-11-29T06:15:02.417Z',
    { format: 'date-time', pattern: '\\.[0-9]{3}Z$' },
    false,
  ),
  WeakETag: header(
    'Names the state that this response leads to. Send it as `If-None-Match` with the next request of this path.',
    'W/"Ck1Zj2o3iGfPHsDl0yXQ9v4T6u8wBzAe.kX2…"',
    { pattern: '^W/"[^"]+"$' },
  ),
  PrivateNoStore: header('No cache may keep the response: it is for this request alone.', 'private, no-store', {
    enum: ['private, no-store'],
  }),
  NoStore: header('Nobody may keep the answer.', 'no-store', { enum: ['no-store'] }),
  Pragma: header('The same for caches of HTTP/1.0.', 'no-cache', { enum: ['no-cache'] }),
  BearerChallenge: header(
    'What is wanted and, where a token was sent, what is wrong with it (RFC 6750 §3).',
    'Bearer realm="customer-data-service", error="invalid_token", error_description="it has expired"',
    { pattern: '^Bearer realm=' },
  ),
  BasicChallenge: header(
    'Only for a request that used HTTP Basic.',
    'Basic realm="customer-data-service", charset="UTF-8"',
    { pattern: '^Basic realm=' },
    false,
  ),
} satisfies HeadersObject;

/** The names under which some of them are sent. */
const SENT_AS: Partial<Record<keyof typeof HEADERS, string>> = {
  RetryWhenBusy: 'Retry-After',
  WeakETag: 'ETag',
  PrivateNoStore: 'Cache-Control',
  NoStore: 'Cache-Control',
  BearerChallenge: 'WWW-Authenticate',
  BasicChallenge: 'WWW-Authenticate',
};

/** Those of an answer, as references. */
export function headers(...names: (keyof typeof HEADERS)[]): HeadersObject {
  return Object.fromEntries(names.map((name) => [SENT_AS[name] ?? name, { $ref: `#/components/headers/${name}` }]));
}

/** The headers of a delta, with a body or without. */
export const DELTA = ['WeakETag', 'PrivateNoStore', 'Vary'] as const;

/** Those of each answer to a request that was counted, which is any that was HTTP at all. */
export const COUNTED = ['X-Request-Id', 'X-Rate-Limit-Limit', 'X-Rate-Limit-Remaining', 'X-Rate-Limit-Reset'] as const;

/** Those of an answer that may be asked for again by its `ETag`. */
export const VALIDATED = ['ETag', 'Cache-Control', 'Vary'] as const;
