import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { BlankLine } from './blank-line.js';

/** What Node's HTTP server keeps on a connection. */
interface HttpSocket extends Socket {
  /** The response under way. Every request has one, including requests that Node itself answers. */
  _httpMessage?: ServerResponse | null;
  /** Null once the connection no longer speaks HTTP, as after CONNECT. */
  parser?: object | null;
}

/**
 * Dispatches the requests of a connection one at a time: the next one waits, unparsed, until the response to the previous
 * one has ended. Otherwise Node dispatches everything that a client pipelines at once, and 60 kB are 2,000 requests.
 * A request that waits costs its bytes, which stay in the buffer of the socket, and starts none of Node's timeouts.
 */
export function dispatchOneAtATime(server: Server): void {
  server.on('connection', (socket: HttpSocket) => {
    const [parse] = socket.listeners('data') as [(bytes: Buffer) => void];
    const reader = new RequestReader(socket, parse);
    socket.off('data', parse).on('data', (bytes: Buffer) => reader.read(bytes));
  });
}

/** Gives Node's parser the bytes of one request, and no more until its response has ended. */
class RequestReader {
  private readonly blankLine = new BlankLine();
  /** Bytes of a body with a Content-Length that are still to come. */
  private bodyLeft = 0;
  private awaited?: ServerResponse;

  constructor(
    private readonly socket: HttpSocket,
    private readonly parse: (bytes: Buffer) => void,
  ) {}

  read(bytes: Buffer): void {
    let rest = bytes;
    // Bytes that follow an unreadable request or a refused CONNECT are ignored.
    while (rest.length && this.socket.parser && this.socket.writable) {
      const { _httpMessage: response } = this.socket;
      if (response?.req.complete) return this.putBack(rest, response);
      rest = rest.subarray(this.parseSome(rest));
    }
  }

  /** Parses at most one head, or a part of one body. @returns the number of bytes */
  private parseSome(bytes: Buffer): number {
    const { _httpMessage: before } = this.socket;
    const body = Math.min(this.bodyLeft, bytes.length);
    const length = body || this.blankLine.endIn(bytes);
    this.parse(bytes.subarray(0, length));
    this.bodyLeft -= body;
    const { _httpMessage: response } = this.socket;
    if (response && response !== before && !response.req.complete)
      this.bodyLeft = Number(response.req.headers['content-length'] ?? 0);
    return length;
  }

  /** A full buffer stops the socket from reading, so that the client has to wait, too. */
  private putBack(bytes: Buffer, response: ServerResponse): void {
    const { socket } = this;
    socket.pause();
    socket.unshift(bytes);
    // Node may have resumed the socket meanwhile, for the same response.
    if (this.awaited === response) return;
    this.awaited = response;
    // Each connection waits for the event loop before its next request: new requests of other clients go first.
    response.once('close', () => setImmediate(() => socket.resume()));
  }
}
