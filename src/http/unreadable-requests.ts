import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { REQUEST_MALFORMED } from './api-error.js';

const STATUS_BY_CODE: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/**
 * Answers requests that no handler could make sense of (no HTTP, no or two hosts, a target that is no URL, an unknown
 * expectation) in the form of every other error; Node and Express would answer them each in a form of their own.
 */
export function answerUnreadableRequests(server: Server & { requireHostHeader?: boolean }): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else socket.end(rawAnswer(STATUS_BY_CODE[error.code ?? '']));
  });
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => refuse(response, 417));
  server.requireHostHeader = false;
  const handlers = server.listeners('request');
  server.removeAllListeners('request').on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!isReadable(request)) refuse(response, 400);
    else for (const handle of handlers) handle.call(server, request, response);
  });
}

function isReadable({ httpVersion, rawHeaders, url = '' }: IncomingMessage): boolean {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  const hostsFit = hosts === 1 || (hosts === 0 && httpVersion === '1.0');
  return hostsFit && (url.startsWith('/') || url === '*' || URL.canParse(url));
}

function refuse(response: ServerResponse, status: number): void {
  const { body, headers } = answer();
  response.writeHead(status, headers).end(body);
}

function rawAnswer(status = 400): string {
  const { body, headers } = answer();
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n');
}

function answer(): { body: string; headers: Record<string, string | number> } {
  const body = JSON.stringify(REQUEST_MALFORMED);
  return {
    body,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
      'X-Request-Id': randomUUID(),
      Connection: 'close',
    },
  };
}
