import { Agent as HttpAgent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request as http } from 'node:http';
import { Agent as HttpsAgent, request as https } from 'node:https';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** A request to send. */
export interface Outgoing {
  method: string;
  /** Appended to the URL of the deployment. */
  path: string;
  headers: OutgoingHttpHeaders;
  body: string;
}

export interface ReceivedResponse {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

/** Timeout of a connection without data. */
const SILENCE_MS = 120_000;

/** Sends requests to one URL over persistent connections. */
export class HttpClient {
  private readonly agent: HttpAgent;

  constructor(readonly url: URL) {
    this.agent = new (url.protocol === 'https:' ? HttpsAgent : HttpAgent)({ keepAlive: true });
  }

  /** @throws the error of the connection, before or during the response */
  async send(outgoing: Outgoing): Promise<ReceivedResponse> {
    try {
      return await this.attempt(outgoing);
    } catch (error) {
      // The server may close a reused connection at the same moment, which is no fault of the request.
      if ((error as { reused?: boolean }).reused) return this.attempt(outgoing);
      throw error;
    }
  }

  /** Sends text that may be invalid HTTP on a new connection. @throws if the response is not HTTP */
  async sendRaw(text: string): Promise<ReceivedResponse> {
    const received = await this.exchange(text);
    const end = received.indexOf('\r\n\r\n');
    const [first = '', ...lines] = received.subarray(0, Math.max(end, 0)).toString('latin1').split('\r\n');
    const status = /^HTTP\/1\.1 (\d{3})/.exec(first)?.[1];
    if (!status)
      throw new Error(`expected an HTTP response, received ${JSON.stringify(received.toString('latin1', 0, 100))}`);
    const headers = lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]);
    return { status: Number(status), headers: Object.fromEntries(headers), bytes: received.subarray(end + 4) };
  }

  close(): void {
    this.agent.destroy();
  }

  private attempt({ method, path, headers, body }: Outgoing): Promise<ReceivedResponse> {
    const target = this.url.origin + this.url.pathname.replace(/\/$/, '') + path;
    const length = body ? { 'Content-Length': Buffer.byteLength(body) } : {};
    return new Promise((resolve, reject) => {
      const options = { method, agent: this.agent, timeout: SILENCE_MS, headers: { ...length, ...headers } };
      const sent = (this.url.protocol === 'https:' ? https : http)(target, options, (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('error', reject).on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('end', () =>
          resolve({ status: incoming.statusCode!, headers: incoming.headers, bytes: Buffer.concat(chunks) }),
        );
      });
      sent.on('timeout', () => sent.destroy(new Error(`no data for ${SILENCE_MS / 1000} s`)));
      sent.on('error', (error) => reject(Object.assign(error, { reused: sent.reusedSocket }))).end(body);
    });
  }

  /** The first response, or all bytes until the connection closes. */
  private exchange(text: string): Promise<Buffer> {
    const { hostname, protocol, port } = this.url;
    const tls = protocol === 'https:';
    const host = hostname.replace(/^\[|\]$/g, '');
    const to = { host, port: Number(port) || (tls ? 443 : 80) };
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      const socket = tls ? connectTls({ ...to, servername: host }) : connect(to);
      socket.setTimeout(SILENCE_MS, () =>
        socket.destroy(new Error('the server sent no complete response and left the connection open')),
      );
      // A reset after a response does not invalidate the response.
      socket.on('error', (error) => (chunks.length ? resolve(Buffer.concat(chunks)) : reject(error)));
      socket.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        if (isComplete(Buffer.concat(chunks))) socket.destroy();
      });
      socket.on('close', () => resolve(Buffer.concat(chunks)));
      socket.write(text);
    });
  }
}

/** Whether this is a complete response with Content-Length. */
function isComplete(bytes: Buffer): boolean {
  const [head = '', body] = bytes.toString('latin1').split('\r\n\r\n', 2);
  const length = /^content-length: *(\d+)/im.exec(head)?.[1];
  return body !== undefined && length !== undefined && bytes.length >= head.length + 4 + Number(length);
}
