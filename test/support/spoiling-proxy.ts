import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { DECODERS } from './decoders.js';
import { call } from './http-call.js';

/** A response that a test changes before it reaches the client. */
export interface Spoilable {
  status: number;
  headers: IncomingHttpHeaders;
  /** The body, without compression and chunks. */
  body: string;
}

/** Changes the response to this request. */
export type Spoil = (
  response: Spoilable,
  request: Pick<IncomingMessage, 'method' | 'headers'> & { path: string },
) => void;

const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

const ENCODERS: Record<string, (bytes: Buffer) => Buffer> = {
  identity: (bytes) => bytes,
  gzip: (bytes) => gzipSync(bytes),
  br: (bytes) => brotliCompressSync(bytes, QUICK),
};

/** A proxy in front of a service. It returns the service's responses, with the changes of `spoil`. */
export class SpoilingProxy {
  spoil: Spoil = () => {};

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async before(serviceUrl: string): Promise<SpoilingProxy> {
    const server = createServer();
    await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
    const proxy = new SpoilingProxy(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', async (request: IncomingMessage, outgoing) => {
      if (!isValid(request)) return void outgoing.writeHead(400, { Connection: 'close' }).end();
      const response = await proxy.responseTo(request, serviceUrl);
      outgoing.writeHead(response.status, response.headers).end(response.bytes);
    });
    // The proxy does not forward requests with an unknown expectation, either.
    server.on('checkExpectation', (_request, response) => response.writeHead(417, { Connection: 'close' }).end());
    return proxy;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async responseTo(request: IncomingMessage, serviceUrl: string) {
    const { method, headers, url: path = '' } = request;
    const {
      status,
      headers: originalHeaders,
      bytes,
    } = await call(serviceUrl, { method, path, headers, body: await text(request) });
    const encoding = (bytes.length && originalHeaders['content-encoding']) || 'identity';
    const response: Spoilable = {
      status,
      headers: { ...originalHeaders },
      body: DECODERS[encoding]!(bytes).toString(),
    };
    this.spoil(response, { method, headers, path });
    const { 'content-length': length, ...rest } = response.headers;
    const sized = length === undefined || method === 'HEAD' ? response.headers : rest;
    return { status: response.status, headers: sized, bytes: ENCODERS[encoding]!(Buffer.from(response.body)) };
  }
}

/** Whether the proxy can forward a request. The proxy rejects invalid HTTP itself, as other proxies do. */
function isValid({ url, rawHeaders }: IncomingMessage): boolean {
  return url!.startsWith('/') && rawHeaders.filter((name) => name.toLowerCase() === 'host').length === 1;
}
