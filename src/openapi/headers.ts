import type { HeaderObject, HeadersObject, SchemaObject } from 'openapi3-ts/oas31';

type Text = Pick<SchemaObject, 'pattern' | 'enum' | 'format'>;

/** Describes a header, which is always present by default. */
const header = (description: string, example: string, text: Text = {}, required = true): HeaderObject => ({
  description,
  required,
  schema: { type: 'string', ...text, examples: [example] },
});

/** Describes a header whose value is a number in decimal digits. */
const integer = (description: string, example: number, minimum: number, required = true): HeaderObject => ({
  description,
  required,
  schema: { type: 'integer', minimum, examples: [example] },
});

/** Every response header that the service defines, and standard headers with a special meaning here. */
export const HEADERS = {
  'X-Request-Id': header(
    'ID of the request in the log. If the request has a valid one, it is returned.',
    '6d14b9f3-3e78-4636-8f2d-5f4f3c5d9fe8',
    { pattern: '^[A-Za-z0-9._-]{1,128}$' },
  ),
  'X-Rate-Limit-Limit': header('The quota window that the other two headers describe.', '1m', { enum: ['1m', '1h'] }),
  'X-Rate-Limit-Remaining': integer('Requests left in that window after this one.', 59, 0),
  'X-Rate-Limit-Reset': header('End of that window, in UTC.', '2026-11-27T23:29:24.989Z', {
    format: 'date-time',
    pattern: 'Z$',
  }),
  'Retry-After': integer('Seconds until the end of that window.', 59, 1),
  RetryWhenBusy: integer('Only if the service is busy: seconds to wait before the next attempt.', 9, 1, false),
  ETag: header(
    'Strong validator. Send it as `If-None-Match`. The same `ETag` means the same bytes, from every replica.',
    '"Ck1Zj2o3iGfPHsDl0yXQ9v4T6u8wBzAe"',
    { pattern: '^"[^"]+"$' },
  ),
  'Cache-Control': header('A client may cache the response and must revalidate it each time.', 'private, no-cache', {
    enum: ['private, no-cache'],
  }),
  Vary: header('Request headers that the response depends on.', 'Authorization, Accept, Accept-Encoding'),
  'Content-Encoding': header(
    'Compression of the body; absent if it is not compressed.',
    'gzip',
    { enum: ['gzip', 'br'] },
    false,
  ),
  'X-Last-SKU': header(
    'SKU of the last element, percent-encoded as UTF-8; absent if there is no element. Elements are in the order of ' +
      'their SKUs. If the last element that you received has another SKU, the body is incomplete.',
    'PIR-1001-M',
    { pattern: "^[A-Za-z0-9_.!~*'()%-]+$" },
    false,
  ),
  'X-Data-Changed': header(
    'When the data of the response last changed, in UTC with milliseconds; absent if that is unknown. To find out ' +
      'whether something changed, compare the `ETag` instead of this time.',
    '2026-11-29T06:15:02.417Z',
    { format: 'date-time', pattern: '\\.[0-9]{3}Z$' },
    false,
  ),
  WeakETag: header(
    'Names the state after you applied this response. Send it as `If-None-Match` with the next request of this path.',
    'W/"Ck1Zj2o3iGfPHsDl0yXQ9v4T6u8wBzAe.kX2…"',
    { pattern: '^W/"[^"]+"$' },
  ),
  PrivateNoStore: header('No cache may store the response. It is valid for this request only.', 'private, no-store', {
    enum: ['private, no-store'],
  }),
  NoStore: header('No cache may store the response.', 'no-store', { enum: ['no-store'] }),
  Pragma: header('The same for HTTP/1.0 caches.', 'no-cache', { enum: ['no-cache'] }),
  BearerChallenge: header(
    'The required scheme. If the request had a token, also the error of that token (RFC 6750 §3).',
    'Bearer realm="customer-data-service", error="invalid_token", error_description="it has expired"',
    { pattern: '^Bearer realm=' },
  ),
  BasicChallenge: header(
    'Only if the request used HTTP Basic.',
    'Basic realm="customer-data-service", charset="UTF-8"',
    { pattern: '^Basic realm=' },
    false,
  ),
} satisfies HeadersObject;

/** The names under which these headers are sent, if they differ from the key. */
const SENT_AS: Partial<Record<keyof typeof HEADERS, string>> = {
  RetryWhenBusy: 'Retry-After',
  WeakETag: 'ETag',
  PrivateNoStore: 'Cache-Control',
  NoStore: 'Cache-Control',
  BearerChallenge: 'WWW-Authenticate',
  BasicChallenge: 'WWW-Authenticate',
};

/** Returns references to the headers of a response. */
export function headers(...names: (keyof typeof HEADERS)[]): HeadersObject {
  return Object.fromEntries(names.map((name) => [SENT_AS[name] ?? name, { $ref: `#/components/headers/${name}` }]));
}

/** The headers of a delta, with a body or without. */
export const DELTA = ['WeakETag', 'PrivateNoStore', 'Vary'] as const;

/** The headers of every response to a counted request. Every HTTP request is counted. */
export const COUNTED = ['X-Request-Id', 'X-Rate-Limit-Limit', 'X-Rate-Limit-Remaining', 'X-Rate-Limit-Reset'] as const;

/** The headers of a response that a client can revalidate by its `ETag`. */
export const VALIDATED = ['ETag', 'Cache-Control', 'Vary'] as const;
