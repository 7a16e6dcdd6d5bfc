import type { OutgoingHttpHeaders } from 'node:http';
import { Broken, NotTestable } from './failure.js';
import { type ReceivedResponse, HttpClient } from './http.js';
import { Pace } from './pace.js';

/** Who calls. */
export interface Credentials {
  clientId: string;
  clientSecret: string;
}

/** What to test, and how far to go. */
export interface Target {
  url: URL;
  managementUrl?: URL;
  customer: Credentials;
  /** A second customer: without it, nothing is said of how customers are kept apart. */
  other?: Credentials;
  /** The part of what is left of a quota that is used, above 0 and at most 1. */
  share: number;
  /** Whether the other customer's minute may be used up. */
  useUpQuota: boolean;
}

export type Caller = 'customer' | 'other' | 'nobody';

/** A request; what is not given is as in a plain GET by the customer. */
export interface Call {
  path: string;
  method?: string;
  /** Whose token goes along. */
  as?: Caller;
  /** Whose quota it counts in, where that is not the caller's. */
  counts?: Caller;
  headers?: OutgoingHttpHeaders;
  body?: string;
  /** Sent as it is, instead of all this, but for the quota. */
  raw?: string;
}

/** What is kept of every answer, with the call that it was given to. */
export interface Seen extends Pick<ReceivedResponse, 'status' | 'headers'> {
  call: Call;
}

const RETRIES = 5;
const RENEW_BEFORE_MS = 5 * 60_000;

/** The deployment under test, as its clients see it. */
export class Deployment {
  /** Every answer so far. */
  readonly seen: Seen[] = [];
  /** A 429 that was met, or asked for. */
  refusal?: ReceivedResponse;
  private readonly client: HttpClient;
  private readonly management?: HttpClient;
  private readonly paces: Record<Caller, Pace>;
  private readonly asked = new Map<string, Promise<ReceivedResponse>>();
  private readonly tokens = new Map<Caller, { token: string; until: number }>();

  /** @param tell told what people should know while it runs */
  constructor(
    readonly target: Target,
    tell: (line: string) => void,
  ) {
    this.client = new HttpClient(target.url);
    if (target.managementUrl) this.management = new HttpClient(target.managementUrl);
    const pace = (whose: string) => new Pace(whose, target.share, tell);
    this.paces = { customer: pace('customer'), other: pace('second customer'), nobody: pace('anonymous callers') };
  }

  /** The answer to this call, which is sent once, however many clauses look at it. */
  ask(call: Call): Promise<ReceivedResponse> {
    const key = JSON.stringify(call);
    const response = this.asked.get(key) ?? this.send(call);
    this.asked.set(key, response);
    return response;
  }

  /** Sends the call when its quota has room, and again later where that was used up by others. */
  async send(call: Call): Promise<ReceivedResponse> {
    const pace = this.paces[call.counts ?? call.as ?? 'customer'];
    for (let attempt = 1; ; attempt++) {
      await pace.waitForRoom();
      const response = await this.sendNow(call);
      if (response.status !== 429 || attempt === RETRIES) return response;
      await pace.refused(response);
    }
  }

  /** Sends the call at once, whatever its quota. */
  async sendNow(call: Call): Promise<ReceivedResponse> {
    const { path, method = 'GET', as = 'customer', headers, body = '', raw } = call;
    const authorization = as === 'nobody' || raw ? {} : { Authorization: `Bearer ${await this.token(as)}` };
    const response = raw
      ? await this.client.sendRaw(raw)
      : await this.client.send({ method, path, body, headers: { ...authorization, ...headers } });
    // What is no HTTP is not counted (§8.2), and tells nothing of a quota.
    if (!raw) this.paces[call.counts ?? as].learn(response);
    this.seen.push({ call, status: response.status, headers: response.headers });
    if (response.status === 429) this.refusal = response;
    return response;
  }

  /** GET on the management port. @throws {NotTestable} where none was named */
  probe(path: string): Promise<ReceivedResponse> {
    if (!this.management) throw new NotTestable('needs --management-url');
    return this.management.send({ method: 'GET', path, headers: {}, body: '' });
  }

  /** The access token of a caller, one for all calls; a new one some minutes before its end. */
  async token(of: Exclude<Caller, 'nobody'> = 'customer'): Promise<string> {
    const kept = this.tokens.get(of);
    if (kept && Date.now() < kept.until) return kept.token;
    const response = await (kept ? this.send(tokenCall(this, of)) : this.ask(tokenCall(this, of)));
    const { access_token, expires_in } = JSON.parse(response.bytes.toString()) as Record<string, unknown>;
    if (response.status !== 200 || typeof access_token !== 'string')
      throw new Broken(`expected an access token for the ${of}, came ${response.status}`);
    const lifetime = (Number(expires_in) || 3600) * 1000;
    this.tokens.set(of, { token: access_token, until: Date.now() + Math.max(lifetime - RENEW_BEFORE_MS, 60_000) });
    return access_token;
  }

  /** @throws {NotTestable} where there is no second customer */
  credentials(of: Exclude<Caller, 'nobody'> = 'customer'): Credentials {
    const credentials = this.target[of];
    if (!credentials) throw new NotTestable('needs a second customer: --other-client-id, --other-client-secret');
    return credentials;
  }

  close(): void {
    this.client.close();
    this.management?.close();
  }
}

/** The plain token request of a caller. */
export function tokenCall(deployment: Deployment, of: Exclude<Caller, 'nobody'> = 'customer'): Call {
  const { clientId, clientSecret } = deployment.credentials(of);
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  return { ...formCall(form), counts: of };
}

/** A token request with these parameters. */
export function formCall(form: Record<string, string> | [string, string][], headers: OutgoingHttpHeaders = {}): Call {
  return {
    path: '/auth/token',
    method: 'POST',
    as: 'nobody',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    body: `${new URLSearchParams(form)}`,
  };
}
