import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from './until.js';

/** A span that was received, with its attributes by name. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  flags: number;
  name: string;
  kind: number;
  start: bigint;
  end: bigint;
  attributes: Record<string, string | number>;
  failed: boolean;
}

/** The log of traces in a test that expects no message. */
export const FAILING_LOG = { log: fail, warn: fail };

const SPAN_KEYS = [
  'traceId',
  'spanId',
  'flags',
  'name',
  'kind',
  'startTimeUnixNano',
  'endTimeUnixNano',
  'attributes',
  'status',
];

/** A collector of OpenTelemetry: it receives traces by OTLP/HTTP as JSON, and rejects what the protocol does not allow. */
export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  /** The bodies, as text. */
  readonly bodies: string[] = [];
  readonly resources: Record<string, string | number>[] = [];
  /** The headers of each request. */
  readonly headers: IncomingHttpHeaders[] = [];
  /** What was wrong with requests. */
  readonly problems: string[] = [];
  /** The status of further responses. */
  status = 200;

  private constructor(private readonly server: Server) {}

  /** @param port the port to listen on; 0: any */
  static async start(port = 0): Promise<OtlpReceiver> {
    const server = createServer();
    const receiver = new OtlpReceiver(server);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => void receiver.take(request, response));
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get url(): string {
    return `${this.endpoint}/v1/traces`;
  }

  clear(): void {
    for (const list of [this.spans, this.bodies, this.resources, this.headers]) list.length = 0;
  }

  /**
   * Returns the spans of a trace once the span of its request is there.
   * @throws if a request was not valid
   */
  async trace(traceId: string, flush: () => Promise<void>): Promise<ReceivedSpan[]> {
    const ofTrace = () => this.spans.filter((span) => span.traceId === traceId);
    await until(`the server span of ${traceId}`, async () => {
      await flush();
      if (this.problems.length) throw new Error(this.problems.join('; '));
      return ofTrace().some(({ kind }) => kind === 2);
    });
    return ofTrace();
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = Buffer.concat(pieces).toString();
    this.headers.push(request.headers);
    this.bodies.push(body);
    try {
      if (request.method !== 'POST' || request.url !== '/v1/traces')
        throw new Error(`${request.method} ${request.url}`);
      if (request.headers['content-type'] !== 'application/json') throw new Error('not JSON');
      if (this.status === 200) this.read(JSON.parse(body));
    } catch (error) {
      this.problems.push((error as Error).message);
    }
    response.writeHead(this.status, { 'Content-Type': 'application/json' }).end('{}');
  }

  private read({ resourceSpans }: { resourceSpans: any[] }): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      this.resources.push(attributesIn(resource.attributes));
      for (const { spans } of scopeSpans) this.spans.push(...spans.map(spanIn));
    }
  }
}

function spanIn(span: Record<string, any>): ReceivedSpan {
  const keys = Object.keys(span).filter((key) => key !== 'parentSpanId');
  if (keys.toSorted().join() !== SPAN_KEYS.toSorted().join()) throw new Error(`a span has ${keys.join()}`);
  check(span, { traceId: /^(?!0+$)[\da-f]{32}$/, spanId: /^(?!0+$)[\da-f]{16}$/, kind: /^[123]$/, name: /./ });
  check(span, { startTimeUnixNano: /^\d{19}$/, endTimeUnixNano: /^\d{19}$/ });
  if (span.parentSpanId !== undefined) check(span, { parentSpanId: /^(?!0+$)[\da-f]{16}$/ });
  const [start, end] = [BigInt(span.startTimeUnixNano), BigInt(span.endTimeUnixNano)];
  if (end < start) throw new Error(`${span.name} ends before its start`);
  const { traceId, spanId, parentSpanId, flags, name, kind } = span;
  const attributes = attributesIn(span.attributes);
  return { traceId, spanId, parentSpanId, flags, name, kind, start, end, attributes, failed: span.status.code === 2 };
}

function check(span: Record<string, unknown>, patterns: Record<string, RegExp>): void {
  for (const [key, pattern] of Object.entries(patterns))
    if (!pattern.test(String(span[key]))) throw new Error(`${key} is ${span[key]}`);
}

function attributesIn(list: { key: string; value: Record<string, unknown> }[]): Record<string, string | number> {
  const pairs = list.map(({ key, value: { stringValue, intValue, ...others } }) => {
    if (Object.keys(others).length) throw new Error(`${key} has ${Object.keys(others).join()}`);
    if (typeof stringValue === 'string' && intValue === undefined) return [key, stringValue];
    if (/^-?\d+$/.test(String(intValue)) && stringValue === undefined) return [key, Number(intValue)];
    throw new Error(`${key} has no value`);
  });
  const names = pairs.map(([key]) => key);
  if (new Set(names).size < names.length) throw new Error(`repeated attribute in ${names.join()}`);
  return Object.fromEntries(pairs);
}

function fail(message: string): never {
  throw new Error(message);
}
