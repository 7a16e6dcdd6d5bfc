import type { Response } from 'express';

/**
 * Removes `Connection: close` from a response with a chunked body, even if the client requested it or the service shuts
 * down (decision 110). Some clients mistake the end of such a connection for the end of the body, although the last
 * chunk is missing. If the client requested it, Node still closes the connection afterwards. An HTTP/1.0 client
 * receives no chunks, so its response does not change.
 */
export function omitConnectionClose(response: Response): void {
  const willClose = !response.shouldKeepAlive || response.hasHeader('Connection');
  if (willClose && response.useChunkedEncodingByDefault) response.removeHeader('Connection');
}
