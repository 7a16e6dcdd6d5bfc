import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request, type RequestOptions } from 'node:http';

export interface ReceivedResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
  /** The body as it came. */
  bytes: Buffer;
}

/** One request; anything not given is as in `GET /api/version` by nobody in particular. */
export interface Call extends Pick<RequestOptions, 'method' | 'path' | 'setHost' | 'agent'> {
  token?: string;
  headers?: OutgoingHttpHeaders;
  body?: string;
}

/**
 * Sends a request as it is; fetch would tidy or refuse some of them. One connection each, unless an agent is given.
 * @throws what breaks the connection, with `reused` where an earlier call had it and this one had no answer yet
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
        const { statusCode: status, headers: answered } = incoming;
        // Text of a large answer is made only where somebody reads it.
        resolve({
          status: status!,
          headers: answered,
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

/** The token in the answer to a token request. */
export function tokenIn({ status, body }: ReceivedResponse): string {
  if (status !== 200) throw new Error(`No token: ${status} ${body}`);
  return (JSON.parse(body) as { access_token: string }).access_token;
}

/** Calls left in the window that the answer describes. */
export function left({ headers }: ReceivedResponse): number {
  return Number(headers['x-rate-limit-remaining'] ?? NaN);
}
