import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The property that Node's HTTP server sets on a connection. */
interface HttpSocket extends Socket {
  /** The current response, until the operating system has accepted its last byte. */
  _httpMessage?: ServerResponse | null;
}

/**
 * Makes a closing server send the rest of ended responses. Node considers a connection idle as soon as its response has
 * ended, even if bytes still wait for a slow client. Node then drops these bytes and closes the connection normally.
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
    // Node decides by this property. No other code runs before it is restored.
    for (const response of unsent) response!.finished = false;
    closeIdle();
    for (const response of unsent) response!.finished = true;
  };
}
