import type { Response } from 'express';

/**
 * Keeps `Connection: close` out of a response whose body is about to be sent in chunks, even if the client asked for the
 * header or the service shuts down (decision 110). Some clients take the end of such a connection for the end of the
 * body, although the last chunk is missing. Node still closes the connection afterwards if the client asked for that.
 * A client of HTTP/1.0 gets no chunks, and its response is as before.
 */
export function omitConnectionClose(response: Response): void {
  const willClose = !response.shouldKeepAlive || response.hasHeader('Connection');
  if (willClose && response.useChunkedEncodingByDefault) response.removeHeader('Connection');
}
