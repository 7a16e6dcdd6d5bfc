import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A faulty response that a client may receive. */
export type Fault = keyof typeof RESPONSES | keyof typeof TRUNCATIONS;

type Headers = Record<string, string>;

/** Responses that a proxy may send instead of the service. */
const RESPONSES = {
  quota: [429, { 'Retry-After': '1' }],
  expired: [401, { 'WWW-Authenticate': 'Bearer realm="customer-data-service", error="invalid_token"' }],
  failure: [500, {}],
  // A date instead of seconds (RFC 9110 §10.2.3).
  busy: [503, () => ({ 'Retry-After': new Date(Date.now() + 1000).toUTCString() })],
  page: [200, { 'Content-Type': 'text/html', ETag: '"page"' }],
} satisfies Record<string, [status: number, headers: Headers | (() => Headers)]>;

/**
 * NDJSON and X-Last-SKU that do not agree, or changes without their last line. Except for `cut`, the HTTP response is
 * well-formed. Changes have no X-Last-SKU.
 */
const TRUNCATIONS = {
  cut: (lines, last) => [lines, last],
  'no lines': (_lines, last) => [[], last],
  'fewer lines': (lines, last) => [lines.slice(0, -1), last],
  'half a line': (lines, last) => [[...lines.slice(0, -1), lines.at(-1)!.slice(0, -2)], last],
  'no X-Last-SKU': (lines) => [lines, undefined],
} satisfies Record<string, (lines: string[], last: string | undefined) => [lines: string[], last: string | undefined]>;

const LAST_SKU = 'X-Last-SKU';
/** Headers that a truncation changes. Without a Content-Length, Node sends the lines in chunks. */
const REPLACED = new Set([LAST_SKU.toLowerCase(), 'content-length']);
const VERSION = '/api/version';

const isOfChanges = (url = '') => url.endsWith('/changes');

/** A proxy in front of a service. It makes requests for data fail. */
export class FaultyProxy {
  /** The faults of the next requests, one per request. */
  faults: Fault[] = [];
  /** Whether to imitate a release without /changes. */
  isOlderRelease = false;
  /** The body of `GET /api/version`, instead of that of the service. */
  version: string | undefined;
  /** Paths and statuses of the data responses, in order. */
  readonly responses: string[] = [];

  private constructor(
    private readonly server: Server,
    private readonly target: string,
  ) {}

  /** Starts a proxy in front of the service. */
  static async before(serviceUrl: string): Promise<FaultyProxy> {
    const server = createServer();
    const proxy = new FaultyProxy(server, serviceUrl);
    server.on('request', (incoming, outgoing) => proxy.pass(incoming, outgoing).catch(() => outgoing.destroy()));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { url } = incoming;
    const isData = url !== '/auth/token' && url !== VERSION;
    if (url === VERSION && this.version !== undefined) return void outgoing.end(this.version);
    const begin = (status: number, headers: Headers | string[]) => {
      if (isData) this.responses.push(`${url} ${status}`);
      return outgoing.writeHead(status, headers);
    };
    if (this.isOlderRelease && isOfChanges(url)) return void begin(404, NOTHING_HERE.headers).end(NOTHING_HERE.body);
    const fault = isData ? this.faults.shift() : undefined;
    if (fault && fault in RESPONSES) {
      const [status, headers] = RESPONSES[fault as keyof typeof RESPONSES];
      return void begin(status, typeof headers === 'function' ? headers() : headers).end('{"SKU":"none"}');
    }
    const { response, body } = await this.fetchFromService(incoming, fault);
    const { statusCode: status, rawHeaders: raw } = response;
    if (!fault) return void begin(status!, raw).end(body);
    const lines = linesOf(body.toString());
    const [some, last] = TRUNCATIONS[fault as keyof typeof TRUNCATIONS](
      lines,
      isOfChanges(url) ? undefined : lastSku(lines),
    );
    const rest = raw.filter((_, index) => !REPLACED.has(raw[index - (index % 2)]!.toLowerCase()));
    begin(status!, last === undefined ? rest : [...rest, LAST_SKU, last]);
    if (fault !== 'cut') return void outgoing.end(some.join(''));
    outgoing.write(body.subarray(0, body.length / 2), () => outgoing.destroy());
  }

  private async fetchFromService(incoming: IncomingMessage, fault: Fault | undefined) {
    const { method, url, headers } = incoming;
    // A 304 has no body to truncate, and a compressed body has no lines. /changes needs the base.
    const { 'if-none-match': base, 'accept-encoding': _, ...rest } = headers;
    const plain = { ...rest, ...(base && isOfChanges(url) ? { 'if-none-match': base } : {}) };
    // The service may close an idle connection at any moment, so each request has its own.
    const passed = request(this.target + url, { method, headers: fault ? plain : headers, agent: false });
    incoming.pipe(passed);
    const [response] = (await once(passed, 'response')) as [IncomingMessage];
    return { response, body: await buffer(response) };
  }
}

/** The response for every path that the imitated release lacks. */
const NOTHING_HERE = {
  headers: { 'Content-Type': 'application/json; charset=utf-8' },
  body: '{"error":"There is nothing at this path."}',
};

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n/g) ?? [];
}

function lastSku(lines: readonly string[]): string {
  return encodeURIComponent((JSON.parse(lines.at(-1)!) as { SKU: string }).SKU);
}
