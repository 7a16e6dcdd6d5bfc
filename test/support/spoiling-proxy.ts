import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { DECODERS } from './decoders.js';
import { call } from './http-call.js';

/** An answer on its way, to be changed. */
export interface Spoilable {
  status: number;
  headers: IncomingHttpHeaders;
  /** The body, neither compressed nor cut into chunks. */
  body: string;
}

/** Changes an answer to this request. */
export type Spoil = (
  answer: Spoilable,
  request: Pick<IncomingMessage, 'method' | 'headers'> & { path: string },
) => void;

const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

const ENCODERS: Record<string, (bytes: Buffer) => Buffer> = {
  identity: (bytes) => bytes,
  gzip: (bytes) => gzipSync(bytes),
  br: (bytes) => brotliCompressSync(bytes, QUICK),
};

/** Stands before a service and answers as it does, but for what is spoilt. */
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
    server.on('request', async (request: IncomingMessage, response) => {
      if (!isSane(request)) return void response.writeHead(400, { Connection: 'close' }).end();
      const answer = await proxy.responseTo(request, serviceUrl);
      response.writeHead(answer.status, answer.headers).end(answer.bytes);
    });
    // Nor is what nobody expects passed on.
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
      headers: answered,
      bytes,
    } = await call(serviceUrl, { method, path, headers, body: await text(request) });
    const encoding = (bytes.length && answered['content-encoding']) || 'identity';
    const answer: Spoilable = { status, headers: { ...answered }, body: DECODERS[encoding]!(bytes).toString() };
    this.spoil(answer, { method, headers, path });
    const { 'content-length': length, ...rest } = answer.headers;
    const sized = length === undefined || method === 'HEAD' ? answer.headers : rest;
    return { status: answer.status, headers: sized, bytes: ENCODERS[encoding]!(Buffer.from(answer.body)) };
  }
}

/** Whether there is anything to pass on: what is no good HTTP is answered here, as other proxies do. */
function isSane({ url, rawHeaders }: IncomingMessage): boolean {
  return url!.startsWith('/') && rawHeaders.filter((name) => name.toLowerCase() === 'host').length === 1;
}
