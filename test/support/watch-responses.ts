import type { Request, Response } from 'express';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { DECODERS } from './decoders.js';
import { DocumentedResponses } from './documented-responses.js';

/** Larger bodies, of tests for large ones, are not kept. */
const LARGEST = 4_000_000;

const STARTED = 'http.server.request.start';
const responses = new DocumentedResponses();
const problems: string[] = [];

/**
 * Holds each answer of each service in this process against the OpenAPI document, whatever the test is about. Whose
 * answers have no request id is no service of ours.
 */
function watch(message: unknown): void {
  const { request, response } = message as { request: Request; response: Response };
  const chunks: Buffer[] = [];
  let length = 0;
  const keep = (chunk: unknown, encoding: unknown) => {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return;
    const bytes = Buffer.from(chunk as string, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8');
    length += bytes.length;
    if (length <= LARGEST) chunks.push(bytes);
  };
  for (const name of ['write', 'end'] as const) {
    const original = response[name].bind(response) as (...args: unknown[]) => never;
    response[name] = (...args: unknown[]) => {
      keep(args[0], args[1]);
      return original(...args);
    };
  }
  response.once('finish', () => {
    const { method, path } = request;
    if (!response.hasHeader('X-Request-Id') || length > LARGEST) return;
    const headers = Object.fromEntries(
      Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]),
    );
    // Node sends no body after HEAD, whatever it is given.
    const bytes = Buffer.concat(method === 'HEAD' ? [] : chunks);
    const encoding = (bytes.length && headers['content-encoding']) || 'identity';
    const body = DECODERS[encoding]!(bytes).toString();
    const { statusCode: status } = response;
    problems.push(...responses.problemsOf({ method, path, status, headers, body }));
    if (
      method !== 'HEAD' &&
      status === 200 &&
      'x-data-changed' in headers &&
      !path.endsWith('/changes') &&
      !headers['content-type']!.startsWith('text/csv')
    )
      problems.push(...problemOfLastSku(headers['x-last-sku'], headers['content-type']!, body));
    if (isChunkedAndClosed(response)) problems.push(`${method} ${path}: chunks come with Connection: close`);
  });
}

/** Whatever is sent as JSON or lines ends with the element that the header names. */
function problemOfLastSku(header: string | undefined, type: string, body: string): string[] {
  const last = type.startsWith('application/json')
    ? (JSON.parse(body) as { SKU: string }[]).at(-1)
    : (JSON.parse(body.trimEnd().split('\n').at(-1) || 'null') as { SKU: string } | null);
  const named = header === undefined ? undefined : decodeURIComponent(header);
  return last?.SKU === named ? [] : [`X-Last-SKU is ${named}, but ${last?.SKU} comes last`];
}

/** Looks at what Node sends: its own headers are not among those that were set. */
function isChunkedAndClosed(response: Response): boolean {
  const { _header: head } = response as unknown as { _header: string };
  return /^transfer-encoding: chunked/im.test(head) && /^connection: *close/im.test(head);
}

beforeAll(() => subscribe(STARTED, watch));
afterEach(() => {
  if (problems.length) throw new Error(`Not as docs/openapi.json says:\n${problems.splice(0).join('\n')}`);
});
afterAll(() => void unsubscribe(STARTED, watch));
