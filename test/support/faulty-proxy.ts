import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What may come instead of an answer, or of its end. */
export type Fault = 'quota' | 'expired' | 'failure' | 'busy' | 'page' | 'cut';

type Headers = Record<string, string>;

const ANSWERS: Record<Exclude<Fault, 'cut'>, [status: number, headers: Headers | (() => Headers)]> = {
  quota: [429, { 'Retry-After': '1' }],
  expired: [401, { 'WWW-Authenticate': 'Bearer realm="customer-data-service", error="invalid_token"' }],
  failure: [500, {}],
  // Of something in between: a time instead of seconds (RFC 9110 §10.2.3), and an answer in good order that is none.
  busy: [503, () => ({ 'Retry-After': new Date(Date.now() + 1000).toUTCString() })],
  page: [200, { 'Content-Type': 'text/html', ETag: '"page"' }],
};

/** Stands before a service, and lets things go wrong with requests for data. */
export class FaultyProxy {
  /** For the next requests, one each. */
  faults: Fault[] = [];
  private readonly server: Server;

  constructor(private readonly target: string) {
    this.server = createServer((incoming, outgoing) => this.pass(incoming, outgoing)).listen(0, '127.0.0.1');
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const fault = incoming.url === '/auth/token' ? undefined : this.faults.shift();
    if (fault && fault !== 'cut') {
      const [status, headers] = ANSWERS[fault];
      outgoing.writeHead(status, typeof headers === 'function' ? headers() : headers).end('{"SKU":"none"}');
      return;
    }
    const { method, headers } = incoming;
    // Known to be the one that it is asked for, an answer would have no body to be cut in.
    const { 'if-none-match': _, ...unconditional } = headers;
    const options = { method, headers: fault ? unconditional : headers };
    const passed = request(this.target + incoming.url, options, async (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      if (!fault) return void answer.pipe(outgoing);
      const [first] = (await answer.take(1).toArray()) as [Buffer];
      outgoing.write(first.subarray(0, first.length / 2), () => outgoing.destroy());
    });
    incoming.pipe(passed);
  }
}
