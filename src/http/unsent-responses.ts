import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What Node's HTTP server keeps on a connection. */
interface HttpSocket extends Socket {
  /** The response under way, until the system has taken its last byte. */
  _httpMessage?: ServerResponse | null;
}

/**
 * Lets the closing server send the responses that have ended. Node takes a connection for idle as soon as its response
 * has ended, even if bytes still wait for a slow client. It drops these bytes and closes the connection in order.
 */
export function sendBeforeClosing(server: Server): void {
  const sockets = new Set<HttpSocket>();
  server.on('connection', (socket: HttpSocket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => {
    const unsent = [...sockets].map(({ _httpMessage: response }) => response).filter((response) => response?.finished);
    // Node asks this property. Nothing else runs meanwhile.
    for (const response of unsent) response!.finished = false;
    closeIdle();
    for (const response of unsent) response!.finished = true;
  };
}
