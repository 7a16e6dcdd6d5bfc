import { createHmac, createHash } from 'node:crypto';
import { type ReceivedResponse, call, type Call, left, tokenCall } from './http-call.js';
import { importFiles } from './import-files.js';
import { A, B, smallCatalogue } from './small-catalogue.js';
import { type Environment, TestDatabase, TestService } from './test-service.js';

export const SECRET = 'secret-of-the-quota-suite-0123456789';
/** The limits of the contract (interface §8). Other suites use higher limits. */
export const LIMITS = { REQUESTS_PER_MINUTE: '60', REQUESTS_PER_HOUR: '1000' };
/** A Customer Code that differs from A's only in case. */
export const A_IN_LOWER_CASE = A.toLowerCase();
/** A Customer Code with the name of the anonymous bucket. */
export const NAMED_ANONYMOUS = 'anonymous';
/** A customer with its own limits: 3 requests per minute and 9 per hour. */
export const FEW = 'FEW';

/** Creates a database with customers that have the default limits, except for {@link FEW}. */
export async function quotaDatabase(): Promise<TestDatabase> {
  const database = await TestDatabase.create();
  const defaults = [A, B, A_IN_LOWER_CASE, NAMED_ANONYMOUS].map((code) => [code, '', 'LIST-A', 'WH-A', '10']);
  const customers = importFiles({ 'customers.csv': [...defaults, [FEW, '', 'LIST-A', 'WH-A', '0', '3', '9']] });
  await database.load({ ...smallCatalogue, ...customers });
  return database;
}

/** A service with the contract's limits, and requests to it. */
export class QuotaBench {
  private readonly keys = new Map<string, string>();
  private constructor(private readonly service: TestService) {}

  static async start(environment: Environment = {}): Promise<QuotaBench> {
    const settings = { JWT_SECRET: SECRET, ...LIMITS, ...environment };
    return new QuotaBench(await TestService.start(settings, await quotaDatabase()));
  }

  get database(): TestDatabase {
    return this.service.database;
  }

  close(): Promise<void> {
    return this.service.close();
  }

  send(request?: Call): Promise<ReceivedResponse> {
    return call(this.service.url, request);
  }

  /** Sends a request several times, one after the other. */
  async sendTimes(times: number, request?: Call): Promise<ReceivedResponse[]> {
    const responses: ReceivedResponse[] = [];
    for (let sent = 0; sent < times; sent++) responses.push(await this.send(request));
    return responses;
  }

  /** Returns the token request of the customer. The API key is issued once. */
  async credentials(customerCode: string): Promise<Call> {
    const key = this.keys.get(customerCode) ?? (await this.service.key(customerCode));
    this.keys.set(customerCode, key);
    return tokenCall(customerCode, key);
  }

  /** Requests a token, which counts as one request of the customer. */
  async login(customerCode: string): Promise<ReceivedResponse> {
    return this.send(await this.credentials(customerCode));
  }

  /**
   * Sends a request.
   * @returns the requests that remain after this one, in the bucket of the token's customer, or without a token in the
   * anonymous bucket
   */
  async left(token?: string): Promise<number> {
    return left(await this.send({ token }));
  }
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Creates a token of the customer by hand. It is valid only with the default claims, header and secret. */
export function forge(sub: string, claims: object = {}, header: object = {}, secret = SECRET): string {
  const kid = createHash('sha256').update(`kid:${SECRET}`).digest('hex').slice(0, 16);
  const iat = Math.floor(Date.now() / 1000);
  const all = {
    iss: 'customer-data-service',
    aud: 'customer-data-api',
    sub,
    iat,
    exp: iat + 3600,
    jti: 'x',
    ...claims,
  };
  const signed = `${encode({ alg: 'HS256', typ: 'JWT', kid, ...header })}.${encode(all)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}
