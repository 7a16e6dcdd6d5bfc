import type { Request, Response } from 'express';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { DECODERS } from './decoders.js';
import { DocumentedAnswers } from './documented-answers.js';

/** Larger bodies, of tests for large ones, are not kept. */
const LARGEST = 4_000_000;

const STARTED = 'http.server.request.start';
const answers = new DocumentedAnswers();
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
    problems.push(...answers.problemsOf({ method, path, status: response.statusCode, headers, body }));
  });
}

beforeAll(() => subscribe(STARTED, watch));
afterEach(() => {
  if (problems.length) throw new Error(`Not as docs/openapi.json says:\n${problems.splice(0).join('\n')}`);
});
afterAll(() => void unsubscribe(STARTED, watch));
