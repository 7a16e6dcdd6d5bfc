import { createHmac, createHash } from 'node:crypto';
import { type ReceivedResponse, call, type Call, left, tokenCall } from './http-call.js';
import { importFiles } from './import-files.js';
import { A, B, smallCatalogue } from './small-catalogue.js';
import { type Environment, TestDatabase, TestService } from './test-service.js';

export const SECRET = 'secret-of-the-quota-suite-0123456789';
/** The limits of the contract (interface §8), which other suites lift. */
export const LIMITS = { REQUESTS_PER_MINUTE: '60', REQUESTS_PER_HOUR: '1000' };
/** Its code differs from A's in case only. */
export const A_IN_LOWER_CASE = A.toLowerCase();
/** A customer that is called like the bucket of those who are none. */
export const NAMED_ANONYMOUS = 'anonymous';
/** A customer with limits of its own, 3 a minute and 9 an hour. */
export const FEW = 'FEW';

/** A database with customers that have the default limits, but for {@link FEW}. */
export async function quotaDatabase(): Promise<TestDatabase> {
  const database = await TestDatabase.create();
  const defaults = [A, B, A_IN_LOWER_CASE, NAMED_ANONYMOUS].map((code) => [code, '', 'LIST-A', 'WH-A', '10']);
  const customers = importFiles({ 'customers.csv': [...defaults, [FEW, '', 'LIST-A', 'WH-A', '0', '3', '9']] });
  await database.load({ ...smallCatalogue, ...customers });
  return database;
}

/** A service with the contract's limits, and calls to it. */
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

  /** Requests one after the other. */
  async sendTimes(times: number, request?: Call): Promise<ReceivedResponse[]> {
    const responses: ReceivedResponse[] = [];
    for (let sent = 0; sent < times; sent++) responses.push(await this.send(request));
    return responses;
  }

  /** The token request of the customer, with its own key. */
  async credentials(customerCode: string): Promise<Call> {
    const key = this.keys.get(customerCode) ?? (await this.service.key(customerCode));
    this.keys.set(customerCode, key);
    return tokenCall(customerCode, key);
  }

  /** Asks for a token: one call of the customer's. */
  async login(customerCode: string): Promise<ReceivedResponse> {
    return this.send(await this.credentials(customerCode));
  }

  /** Calls left of the token's customer, or of nobody in particular, after the one that asks. */
  async left(token?: string): Promise<number> {
    return left(await this.send({ token }));
  }
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token made by hand that names the customer; only with no changes at all is it a good one. */
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
