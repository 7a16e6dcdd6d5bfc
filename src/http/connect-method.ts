import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { closeGently } from './closing.js';

/**
 * Passes CONNECT on as an ordinary request, so that it is counted, logged and refused like every other method. By default
 * Node closes the connection without a response. It ends after the response, because Node's parser has left it.
 */
export function admitConnectMethod(server: Server): void {
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => closeGently(socket));
    // Node has removed its own listener. The client may leave at any time.
    socket.on('error', () => undefined);
    // The target is a host and a port rather than a path: nothing is served there.
    if (!request.url?.startsWith('/')) request.url = '/';
    server.emit('request', request, response);
  });
}
