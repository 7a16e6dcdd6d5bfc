import type { Request, Response } from 'express';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { DECODERS } from './decoders.js';
import { DocumentedResponses } from './documented-responses.js';

/** In bytes. Larger bodies, which only tests of large responses have, are not checked. */
const LARGEST = 4_000_000;

const STARTED = 'http.server.request.start';
const responses = new DocumentedResponses();
const problems: string[] = [];

/**
 * Checks each response of each service in this process against the OpenAPI document, whatever the test is about.
 * Responses without a request id are not from this service.
 */
function watch(message: unknown): void {
  const { request, response } = message as { request: Request; response: Response };
  const chunks: Buffer[] = [];
  let length = 0;
  const collect = (chunk: unknown, encoding: unknown) => {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return;
    const bytes = Buffer.from(chunk as string, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8');
    length += bytes.length;
    if (length <= LARGEST) chunks.push(bytes);
  };
  for (const name of ['write', 'end'] as const) {
    const original = response[name].bind(response) as (...args: unknown[]) => never;
    response[name] = (...args: unknown[]) => {
      collect(args[0], args[1]);
      return original(...args);
    };
  }
  response.once('finish', () => {
    const { method, path } = request;
    // A client that disconnects gets only a part of the body.
    if (!response.hasHeader('X-Request-Id') || length > LARGEST || response.destroyed) return;
    const headers = Object.fromEntries(
      Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]),
    );
    // Node sends no body for HEAD, whatever is written.
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
    if (isChunkedAndClosed(response)) problems.push(`${method} ${path}: chunks are sent with Connection: close`);
  });
}

/** The last element of a JSON or NDJSON body must be the one that X-Last-SKU names. */
function problemOfLastSku(header: string | undefined, type: string, body: string): string[] {
  const last = type.startsWith('application/json')
    ? (JSON.parse(body) as { SKU: string }[]).at(-1)
    : (JSON.parse(body.trimEnd().split('\n').at(-1) || 'null') as { SKU: string } | null);
  const named = header === undefined ? undefined : decodeURIComponent(header);
  return last?.SKU === named ? [] : [`X-Last-SKU is ${named}, but the last element is ${last?.SKU}`];
}

/** Checks the headers that Node sends. They include its own, which `getHeaders()` lacks. */
function isChunkedAndClosed(response: Response): boolean {
  const { _header: head } = response as unknown as { _header: string };
  return /^transfer-encoding: chunked/im.test(head) && /^connection: *close/im.test(head);
}

beforeAll(() => subscribe(STARTED, watch));
afterEach(() => {
  if (problems.length) throw new Error(`Responses differ from docs/openapi.json:\n${problems.splice(0).join('\n')}`);
});
afterAll(() => void unsubscribe(STARTED, watch));
