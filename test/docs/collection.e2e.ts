import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse, stringify } from 'yaml';
import { openApiDocument } from '../../src/openapi/document.js';
import { type ReceivedResponse, call, tokenIn } from '../support/http-call.js';
import { A, smallCatalogue } from '../support/small-catalogue.js';
import { TestService } from '../support/test-service.js';

const FOLDER = resolve(import.meta.dirname, '../../docs/integration/collection');

interface Named {
  name: string;
  value: string;
}

interface Assertion {
  expression: string;
  operator: string;
  value: string;
}

/** The keys of an OpenCollection request that the collection uses. The test ignores other keys. */
interface CollectionRequest {
  info: { name: string; type: string; seq: number };
  http: { method: string; url: string; headers?: Named[]; body?: { type: string; data: Named[] }; auth?: 'inherit' };
  runtime: { assertions: Assertion[]; actions?: { selector: { expression: string }; variable: { name: string } }[] };
}

const read = <T>(name: string) => parse(readFileSync(join(FOLDER, name), 'utf8')) as T;
const { auth: AUTH } = read<{
  request: { auth: { flow: string; accessTokenUrl: string; credentials: { clientId: string; clientSecret: string } } };
}>('opencollection.yml').request;
const requests = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.yml') && name !== 'opencollection.yml')
  .map((name) => read<CollectionRequest>(name))
  .toSorted((one, other) => one.info.seq - other.info.seq);

/** Sends requests as Bruno does: with the variables of an environment, variables from responses, and a token. */
class Runner {
  private constructor(
    private readonly url: string,
    private readonly variables: Record<string, string>,
    private token = '',
  ) {}

  /** Starts with a token, requested as the collection's `auth` defines. */
  static async start(url: string, variables: Record<string, string>): Promise<Runner> {
    const runner = new Runner(url, variables);
    const { clientId, clientSecret } = AUTH.credentials;
    const fields = { grant_type: AUTH.flow, client_id: clientId, client_secret: clientSecret };
    const data = Object.entries(fields).map(([name, value]) => ({ name, value }));
    const tokenRequest = { method: 'POST', url: AUTH.accessTokenUrl, body: { type: 'form-urlencoded', data } };
    runner.token = tokenIn(await runner.send(tokenRequest));
    return runner;
  }

  async run({ http, runtime }: CollectionRequest): Promise<[Assertion, unknown][]> {
    const response = await this.send(http);
    for (const { selector, variable } of runtime.actions ?? [])
      this.variables[variable.name] = String(valueAt(selector.expression, response));
    return runtime.assertions.map((assertion) => [assertion, valueAt(assertion.expression, response)]);
  }

  private send({ method, url, headers = [], body, auth }: CollectionRequest['http']): Promise<ReceivedResponse> {
    const path = this.filled(url).slice(this.url.length);
    const form = new URLSearchParams(body?.data.map(({ name, value }) => [name, this.filled(value)]));
    return call(this.url, {
      method,
      path,
      ...(auth ? { token: this.token } : {}),
      headers: {
        ...Object.fromEntries(headers.map(({ name, value }) => [name, this.filled(value)])),
        ...(body ? { 'Content-Type': 'application/x-www-form-urlencoded' } : {}),
      },
      body: form.toString(),
    });
  }

  private filled(text: string): string {
    return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
      if (this.variables[name] === undefined) throw new Error(`No response and no environment sets ${name}`);
      return this.variables[name];
    });
  }
}

/** The value of an expression such as `res.headers.etag`. */
function valueAt(expression: string, { status, headers, body }: ReceivedResponse): unknown {
  const [, part, ...keys] = expression.split('.');
  const parts: Record<string, unknown> = { status, headers, body: part === 'body' && JSON.parse(body) };
  return keys.reduce((value, key) => (value as Record<string, unknown>)[key], parts[part!]);
}

let service: TestService;
beforeAll(async () => {
  service = await TestService.start();
  await service.database.load(smallCatalogue);
});
afterAll(() => service.close());

test('the collection sends its requests in order, and every assertion holds', async () => {
  const demo = read<{ variables: Partial<Named>[] }>('environments/Demo.yml').variables.map(({ name }) => name);
  expect(demo).toEqual(['baseUrl', 'clientId', 'clientSecret']);
  const variables = { baseUrl: service.url, clientId: A, clientSecret: await service.key(A) };
  const runner = await Runner.start(service.url, variables);
  for (const request of requests)
    for (const [{ expression, operator, value }, found] of await runner.run(request))
      expect([request.info.name, expression, operator, String(found)]).toEqual([
        request.info.name,
        expression,
        'eq',
        value,
      ]);
});

const { paths } = openApiDocument();
const documented = Object.entries(paths!).flatMap(([path, item]) =>
  ['get', 'post'].filter((method) => method in item).map((method) => `${method.toUpperCase()} ${path}`),
);
const sent = requests.map(({ http }) => `${http.method} ${http.url.replace('{{baseUrl}}', '')}`);

/** Writes a request for a protected GET endpoint. */
function addRequest(path: string, seq: number): void {
  const words = path.slice(1).split('/');
  const request = {
    info: { name: words.join(' '), type: 'http', seq },
    http: { method: 'GET', url: `{{baseUrl}}${path}`, auth: 'inherit' },
    runtime: { assertions: [{ expression: 'res.status', operator: 'eq', value: '200' }] },
    docs: `${paths![path]!.get!.summary}.`,
  };
  writeFileSync(join(FOLDER, `${words.join('-')}.yml`), stringify(request));
}

test('the collection has every endpoint of the interface, and UPDATE_OPENAPI=1 adds the endpoints that it lacks', () => {
  const lacking = documented.filter((one) => !sent.includes(one));
  if (process.env.UPDATE_OPENAPI)
    for (const [index, one] of lacking.entries()) addRequest(one.replace('GET ', ''), requests.length + 1 + index);
  else expect([...new Set(sent)].toSorted()).toEqual(documented.toSorted());
});
