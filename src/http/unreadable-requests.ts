import type { NextFunction, Request, Response } from 'express';
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { plainAddress } from './client-address.js';
import { REQUEST_MALFORMED, requestUnreadable } from './api-error.js';
import { closeGently } from './closing.js';
import { abortConnection } from './abort.js';
import { SymbolProperty } from './symbol-property.js';

const STATUS_BY_CODE: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Requests that Node's parser accepts although they are invalid, with the status of their response. */
const unreadable = new SymbolProperty<IncomingMessage, number>('unreadable status');

/**
 * Passes invalid requests (no Host or two, a target that is not a URL, an unknown expectation) to {@link
 * refuseUnreadable}, so that they are counted and get a response like every other request. Without this, Node and
 * Express would each send a response of a different form. If the bytes are not HTTP, there is no request to count, and
 * the response is sent here.
 * @param report receives the ID, status and size in bytes of each response that is sent here, and the client's address
 */
export function admitUnreadableRequests(
  server: Server & { requireHostHeader?: boolean },
  report: (response: { requestId: string; status: number; bytes: number; address?: string }) => void,
): void {
  server.requireHostHeader = false;
  const responses = new SymbolProperty<Socket, ServerResponse>('response');
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    responses.set(request.socket, response);
    if (!isReadable(request)) mark(request, 400);
  });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    mark(request, 417);
    server.emit('request', request, response);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const response = responses.get(socket);
    // The body of a request turned out to be unreadable after its response began. No second response may follow inside
    // it.
    if (response?.headersSent && !response.writableFinished) abortConnection(socket, 'error');
    else if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else {
      const status = STATUS_BY_CODE[error.code ?? ''] ?? 400;
      const requestId = randomUUID();
      const text = textOfResponse(requestId, status);
      report({ requestId, status, bytes: text.length, address: plainAddress(socket.remoteAddress) });
      closeGently(socket, text);
    }
  });
}

/** Refuses the invalid requests that {@link admitUnreadableRequests} passed on. */
export function refuseUnreadable(request: Request, _response: Response, next: NextFunction): void {
  const status = unreadable.get(request);
  next(status === undefined ? undefined : requestUnreadable(status));
}

/** Marks a request as invalid. A target that Express cannot parse would bypass all middleware, so it becomes `/`. */
function mark(request: IncomingMessage, status: number): void {
  unreadable.set(request, status);
  request.url = '/';
}

function isReadable({ httpVersion, rawHeaders, url = '' }: IncomingMessage): boolean {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  const hostsFit = hosts === 1 || (hosts === 0 && httpVersion === '1.0');
  return hostsFit && (url.startsWith('/') || url === '*' || URL.canParse(url));
}

function textOfResponse(requestId: string, status: number): string {
  const body = JSON.stringify(REQUEST_MALFORMED);
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
