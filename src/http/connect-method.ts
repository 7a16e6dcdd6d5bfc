import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { closeGently } from './closing.js';

/**
 * Passes CONNECT to Express as an ordinary request, so that it is counted, logged and refused like other methods. By
 * default, Node closes the connection without a response. The connection closes after the response, because Node's
 * parser is detached from it.
 */
export function admitConnectMethod(server: Server): void {
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => closeGently(socket));
    // Node has removed its own error listener, and the client may disconnect at any time.
    socket.on('error', () => undefined);
    // A target that is a host and a port names no path. The root path returns 404.
    if (!request.url?.startsWith('/')) request.url = '/';
    server.emit('request', request, response);
  });
}
