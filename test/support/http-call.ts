import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request, type RequestOptions } from 'node:http';

export interface ReceivedResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
  /** The body as received, possibly compressed. */
  bytes: Buffer;
}

/** A request. The defaults are those of `GET /api/version` without a token. */
export interface Call extends Pick<RequestOptions, 'method' | 'path' | 'setHost' | 'agent'> {
  token?: string;
  headers?: OutgoingHttpHeaders;
  body?: string;
}

/**
 * Sends a request unchanged; fetch would normalize or reject some of them. Uses one connection per request, unless an
 * agent is given.
 * @throws the error of the connection, with `reused` true if an earlier request had used it
 */
export function call(url: string, { token, headers, body = '', ...options }: Call = {}): Promise<ReceivedResponse> {
  const { hostname, port } = new URL(url);
  const all = {
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    ...(body ? { 'Content-Length': Buffer.byteLength(body) } : {}),
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const target = { hostname, port, path: '/api/version', agent: false, ...options, headers: all };
    const outgoing = request(target, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('error', reject).on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const bytes = Buffer.concat(chunks);
        const { statusCode: status, headers: responseHeaders } = incoming;
        // The text of a large body is decoded only if it is read.
        resolve({
          status: status!,
          headers: responseHeaders,
          bytes,
          get body() {
            return bytes.toString();
          },
        });
      });
    });
    outgoing.on('error', (error) => reject(Object.assign(error, { reused: outgoing.reusedSocket }))).end(body);
  });
}

/** A token request with these credentials. */
export function tokenCall(client_id: string, client_secret: string): Call {
  return {
    method: 'POST',
    path: '/auth/token',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: `${new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret })}`,
  };
}

/**
 * Returns the token in a token response.
 * @throws if the status is not 200
 */
export function tokenIn({ status, body }: ReceivedResponse): string {
  if (status !== 200) throw new Error(`No token: ${status} ${body}`);
  return (JSON.parse(body) as { access_token: string }).access_token;
}

/** The remaining requests in the window that the response describes. */
export function left({ headers }: ReceivedResponse): number {
  return Number(headers['x-rate-limit-remaining'] ?? NaN);
}
