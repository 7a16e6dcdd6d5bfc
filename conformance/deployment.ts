import type { OutgoingHttpHeaders } from 'node:http';
import { Broken, NotTestable } from './failure.js';
import { type ReceivedResponse, HttpClient } from './http.js';
import { Pace } from './pace.js';

/** The credentials of a customer. */
export interface Credentials {
  /** The Customer Code. */
  clientId: string;
  /** The API key. */
  clientSecret: string;
}

/** The deployment to test, and the limits of the run. */
export interface Target {
  url: URL;
  managementUrl?: URL;
  customer: Credentials;
  /** A second customer, which the clauses on the separation of customers need. */
  other?: Credentials;
  /** The share of the remaining quota that the run uses, above 0 and at most 1. */
  share: number;
  /** Whether the run may exhaust the minute quota of the second customer. */
  useUpQuota: boolean;
}

export type Customer = 'customer' | 'other';

export type Caller = Customer | 'anonymous';

/** A request. The defaults are those of a plain GET by the customer. */
export interface Call {
  path: string;
  method?: string;
  /** The caller whose token the request carries. */
  as?: Caller;
  /** The caller whose quota the request counts in; default: `as`. */
  counts?: Caller;
  headers?: OutgoingHttpHeaders;
  body?: string;
  /** Bytes to send unchanged. Of the other fields, only `as` and `counts` apply then. */
  raw?: string;
}

/** The status and headers of a response, with its call. */
export interface SeenResponse extends Pick<ReceivedResponse, 'status' | 'headers'> {
  call: Call;
}

const RETRIES = 5;
const RENEW_BEFORE_MS = 5 * 60_000;

/** The deployment under test, seen as a client. */
export class Deployment {
  /** All responses so far, in order. */
  readonly seen: SeenResponse[] = [];
  /** The latest 429, if there was one. */
  refusal?: ReceivedResponse;
  private readonly client: HttpClient;
  private readonly management?: HttpClient;
  private readonly paces: Record<Caller, Pace>;
  private readonly responses = new Map<string, Promise<ReceivedResponse>>();
  private readonly tokens = new Map<Caller, { token: string; until: number }>();

  /** @param log receives lines about waiting */
  constructor(
    readonly target: Target,
    log: (line: string) => void,
  ) {
    this.client = new HttpClient(target.url);
    if (target.managementUrl) this.management = new HttpClient(target.managementUrl);
    const pace = (caller: string) => new Pace(caller, target.share, log);
    this.paces = { customer: pace('customer'), other: pace('second customer'), anonymous: pace('anonymous callers') };
  }

  /** The response to this call. It is sent once, even if several clauses need it. */
  ask(call: Call): Promise<ReceivedResponse> {
    const key = JSON.stringify(call);
    const response = this.responses.get(key) ?? this.send(call);
    this.responses.set(key, response);
    return response;
  }

  /** Sends the call when its quota has room, and retries it after a 429. */
  async send(call: Call): Promise<ReceivedResponse> {
    const pace = this.paces[call.counts ?? call.as ?? 'customer'];
    for (let attempt = 1; ; attempt++) {
      await pace.waitForRoom();
      const response = await this.sendNow(call);
      if (response.status !== 429 || attempt === RETRIES) return response;
      await pace.refused(response);
    }
  }

  /** Sends the call at once, without regard to its quota. */
  async sendNow(call: Call): Promise<ReceivedResponse> {
    const { path, method = 'GET', as = 'customer', headers, body = '', raw } = call;
    const authorization = as === 'anonymous' || raw ? {} : { Authorization: `Bearer ${await this.token(as)}` };
    const response = raw
      ? await this.client.sendRaw(raw)
      : await this.client.send({ method, path, body, headers: { ...authorization, ...headers } });
    // Bytes that are not HTTP do not count (§8.2), and their response has no quota headers.
    if (!raw) this.paces[call.counts ?? as].learn(response);
    this.seen.push({ call, status: response.status, headers: response.headers });
    if (response.status === 429) this.refusal = response;
    return response;
  }

  /** GET on the management port. @throws {NotTestable} without a management URL */
  probe(path: string): Promise<ReceivedResponse> {
    if (!this.management) throw new NotTestable('needs --management-url');
    return this.management.send({ method: 'GET', path, headers: {}, body: '' });
  }

  /** The access token of a caller, shared by all calls and renewed some minutes before it expires. @throws {Broken} */
  async token(of: Customer = 'customer'): Promise<string> {
    const cached = this.tokens.get(of);
    if (cached && Date.now() < cached.until) return cached.token;
    const response = await (cached ? this.send(tokenCall(this, of)) : this.ask(tokenCall(this, of)));
    const { access_token, expires_in } = JSON.parse(response.bytes.toString()) as Record<string, unknown>;
    if (response.status !== 200 || typeof access_token !== 'string')
      throw new Broken(`expected an access token for the ${of}, received ${response.status}`);
    const lifetime = (Number(expires_in) || 3600) * 1000;
    this.tokens.set(of, { token: access_token, until: Date.now() + Math.max(lifetime - RENEW_BEFORE_MS, 60_000) });
    return access_token;
  }

  /** @throws {NotTestable} without a second customer */
  credentials(of: Customer = 'customer'): Credentials {
    const credentials = this.target[of];
    if (!credentials) throw new NotTestable('needs a second customer: --other-client-id, --other-client-secret');
    return credentials;
  }

  close(): void {
    this.client.close();
    this.management?.close();
  }
}

/** The usual token request of a caller. */
export function tokenCall(deployment: Deployment, of: Customer = 'customer'): Call {
  const { clientId, clientSecret } = deployment.credentials(of);
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  return { ...formCall(form), counts: of };
}

/** A token request with these parameters. */
export function formCall(form: Record<string, string> | [string, string][], headers: OutgoingHttpHeaders = {}): Call {
  return {
    path: '/auth/token',
    method: 'POST',
    as: 'anonymous',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    body: `${new URLSearchParams(form)}`,
  };
}
