import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { BlankLine } from './blank-line.js';

/** The properties that Node's HTTP server sets on a connection. */
interface HttpSocket extends Socket {
  /** The current response. Every request has one, even if Node itself responds. */
  _httpMessage?: ServerResponse | null;
  /** Null once the connection is not HTTP any more, for example after CONNECT. */
  parser?: object | null;
}

/**
 * Dispatches the requests of a connection one at a time. The next request waits, unparsed, until the response to the
 * previous one has ended. Otherwise Node would dispatch all pipelined requests at once, and 60 kB hold 2,000 requests.
 * A waiting request costs only its bytes in the socket's buffer, and it starts none of Node's timeouts.
 */
export function dispatchOneAtATime(server: Server): void {
  server.on('connection', (socket: HttpSocket) => {
    const [parse] = socket.listeners('data') as [(bytes: Buffer) => void];
    const reader = new RequestReader(socket, parse);
    socket.off('data', parse).on('data', (bytes: Buffer) => reader.read(bytes));
  });
}

/** Passes the bytes of one request to Node's parser, and no more until the response has ended. */
class RequestReader {
  private readonly blankLine = new BlankLine();
  /** Number of bytes that are still to come of a body with a Content-Length. */
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

  /** Returns bytes to the socket and pauses it. Once its buffer is full, the client has to wait as well. */
  private putBack(bytes: Buffer, response: ServerResponse): void {
    const { socket } = this;
    socket.pause();
    socket.unshift(bytes);
    // Node may have resumed the socket during the same response.
    if (this.awaited === response) return;
    this.awaited = response;
    // Waits for one turn of the event loop, so that new requests of other clients go first.
    response.once('close', () => setImmediate(() => socket.resume()));
  }
}
