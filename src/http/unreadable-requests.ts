import type { NextFunction, Request, Response } from 'express';
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { cutConnection } from './cut.js';
import { REQUEST_MALFORMED, requestUnreadable } from './api-error.js';

const STATUS_BY_CODE: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** How long a client that was answered has to close its side of the connection. */
const LINGER_MS = 2000;

/** Requests that are HTTP and yet make no sense, with the status of their answer. */
const unreadable = new WeakMap<IncomingMessage, number>();

/**
 * Lets requests without sense (no or two hosts, a target that is no URL, an unknown expectation) through to
 * {@link refuseUnreadable}, so that they are counted and answered like every other one; Node and Express would answer
 * each in a form of its own. What is no HTTP at all is answered here: there is no request to count.
 * @param tell told the id and the status of each answer that is given here
 */
export function admitUnreadableRequests(
  server: Server & { requireHostHeader?: boolean },
  tell: (requestId: string, status: number, bytes: number) => void,
): void {
  server.requireHostHeader = false;
  const answers = new WeakMap<Socket, Set<ServerResponse>>();
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const own = answers.get(request.socket) ?? new Set();
    answers.set(request.socket, own.add(response));
    response.once('close', () => own.delete(response));
    if (!isReadable(request)) mark(request, 400);
  });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    mark(request, 417);
    server.emit('request', request, response);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // An answer under way must not go on with the text of another.
    const begun = [...(answers.get(socket) ?? [])].some(({ headersSent }) => headersSent);
    if (begun) cutConnection(socket, 'error');
    else if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else {
      const status = STATUS_BY_CODE[error.code ?? ''] ?? 400;
      const requestId = randomUUID();
      const answer = rawAnswer(requestId, status);
      socket.end(answer);
      // Closed at once, the connection would be reset under the answer where the client is still sending; and one that
      // does not close its side, either, would be held for ever.
      setTimeout(() => socket.destroy(), LINGER_MS).unref();
      tell(requestId, status, answer.length);
    }
  });
}

/** Refuses what {@link admitUnreadableRequests} let through. */
export function refuseUnreadable(request: Request, _response: Response, next: NextFunction): void {
  const status = unreadable.get(request);
  next(status === undefined ? undefined : requestUnreadable(status));
}

/** A target that Express cannot parse would pass by everything that it serves. */
function mark(request: IncomingMessage, status: number): void {
  unreadable.set(request, status);
  request.url = '/';
}

function isReadable({ httpVersion, rawHeaders, url = '' }: IncomingMessage): boolean {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  const hostsFit = hosts === 1 || (hosts === 0 && httpVersion === '1.0');
  return hostsFit && (url.startsWith('/') || url === '*' || URL.canParse(url));
}

function rawAnswer(requestId: string, status: number): string {
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
