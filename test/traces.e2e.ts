import { randomBytes } from 'node:crypto';
import { Agent } from 'node:http';
import { resolve } from 'node:path';
import { startTraces } from '../src/traces/start-traces.js';
import { type Call, call, tokenCall, tokenIn } from './support/http-call.js';
import { FAILING_LOG, OtlpReceiver, type ReceivedSpan } from './support/otlp-receiver.js';
import { ServiceProcess } from './support/service-process.js';
import { A, smallCatalogue } from './support/small-catalogue.js';
import { engine, TestService } from './support/test-service.js';
import { until } from './support/until.js';

const MODULE = resolve(import.meta.dirname, '../dist/traces/otlp.js');
const SPAN_OF_CALLER = '00f067aa0ba902b7';
const [SERVER, CLIENT] = [2, 3];
const isServer = engine === 'mysql';

let receiver: OtlpReceiver;
let service: TestService;
let traces: ReturnType<typeof startTraces>;
let key: string;

beforeAll(async () => {
  receiver = await OtlpReceiver.start();
  service = await TestService.start();
  await service.database.load(smallCatalogue);
  key = await service.key(A);
  const sampling = { followsParent: true, ratio: 1 };
  const settings = { url: receiver.url, headers: { 'x-tenant': 'T' }, resource: { 'service.name': 'S' }, sampling };
  traces = startTraces(settings, FAILING_LOG);
});
afterAll(async () => {
  traces.stop();
  await service.close();
  await receiver.close();
});

const traceparent = (traceId: string, flags = '01') => ({ traceparent: `00-${traceId}-${SPAN_OF_CALLER}-${flags}` });
const newTrace = () => randomBytes(16).toString('hex');
const token = async () => tokenIn(await call(service.url, tokenCall(A, key)));

/** Sends a request in a trace of its own. @returns the spans of the trace, and the span of the request */
async function traced(sent: Call): Promise<{ spans: ReceivedSpan[]; request: ReceivedSpan }> {
  const traceId = newTrace();
  await call(service.url, { ...sent, headers: { ...sent.headers, ...traceparent(traceId) } });
  const spans = await receiver.trace(traceId, traces.flush);
  return { spans, request: spans.find(({ kind }) => kind === SERVER)! };
}

describe('traces (decision 195)', () => {
  test('link the caller, the request, its phases and its statements', async () => {
    const { spans, request } = await traced({ path: '/products', token: await token() });
    expect(request).toMatchObject({ parentSpanId: SPAN_OF_CALLER, flags: 0x301, name: 'GET /products', failed: false });
    expect(request.attributes).toEqual({
      'http.request.method': 'GET',
      'http.route': '/products',
      'url.path': '/products',
      'url.scheme': 'http',
      'http.response.status_code': 200,
      'http.response.size': expect.any(Number),
      'client.address': '127.0.0.1',
      'customer_data.request.id': expect.any(String),
      'customer_data.customer.code': A,
      'customer_data.key.id': expect.any(Number),
      'customer_data.quota.bucket': 'customer',
      'customer_data.response.ended': 'complete',
    });
    const phases = spans.filter(({ kind }) => kind === 1);
    expect(phases.map(({ name }) => name)).toEqual(['wait', 'open', 'begin', 'read', 'send']);
    expect(phases.map(({ parentSpanId }) => parentSpanId)).toEqual(phases.map(() => request.spanId));
    const byId = new Map(spans.map((span) => [span.spanId, span]));
    for (const span of spans.filter((one) => one !== request)) {
      const parent = byId.get(span.parentSpanId!);
      expect(span.flags).toBe(0x101);
      expect(span.start).toBeGreaterThanOrEqual(parent!.start);
    }
    const statements = spans.filter(({ kind }) => kind === CLIENT);
    const parentsOf = (name: string) =>
      statements.filter((one) => one.name === name).map(({ parentSpanId }) => byId.get(parentSpanId!)!.name);
    if (!isServer) return expect(statements).toEqual([]);
    expect(parentsOf('START TRANSACTION')).toEqual(['open']);
    expect(parentsOf('SELECT prices')).toContain('begin');
    // The guard reads the terms before the download begins, and the snapshot reads them again at both ends.
    expect(parentsOf('SELECT customers')).toEqual(['GET /products', 'open', 'read']);
    expect(statements.find(({ name }) => name === 'SELECT customers')!.attributes).toEqual({
      'db.system.name': 'mysql',
      'db.namespace': new URL(service.database.url).pathname.slice(1),
      'server.address': new URL(service.database.url).hostname,
      'server.port': expect.any(Number),
      'db.operation.name': 'SELECT',
      'db.collection.name': 'customers',
    });
  });

  test('contain no secret, no value of a statement, and nothing that the log lacks', async () => {
    receiver.clear();
    const access = await token();
    await traced(tokenCall(A, key));
    await traced(tokenCall(A, `${key}x`));
    await traced({ path: `/products?q=${key}`, token: access });
    const { request } = await traced({ path: `/${key}?key=${key}`, headers: { Cookie: key, 'User-Agent': key } });
    expect(request.name).toBe('GET');
    expect(request.attributes).not.toHaveProperty('url.path');
    const sent = receiver.bodies.join('\n');
    const [{ Digest }] = (await service.database.sql('SELECT Digest FROM api_keys')) as [{ Digest: string | Buffer }];
    const password = isServer ? new URL(service.database.url).password : '';
    const digest = String(Digest);
    for (const secret of [key, access, digest, password].filter(Boolean)) expect(sent).not.toContain(secret);
    expect(sent).not.toMatch(/db\.query\.text|\?q=|WHERE/);
    const names = new Set(receiver.spans.flatMap(({ attributes }) => Object.keys(attributes)));
    expect([...names].filter((name) => !/^(http|url|client|customer_data|db|server)\./.test(name))).toEqual([]);
    expect(receiver.headers[0]).toMatchObject({ 'x-tenant': 'T' });
    expect(receiver.resources[0]).toEqual({ 'service.name': 'S' });
  });

  test('mark a failed request and its failed statement, and no 4xx', async () => {
    const access = await token();
    expect((await traced({ path: '/products' })).request).toMatchObject({
      failed: false,
      attributes: { 'http.response.status_code': 401, 'customer_data.quota.bucket': 'anonymous' },
    });
    await service.database.sql('ALTER TABLE stock RENAME TO away');
    try {
      const { spans, request } = await traced({ path: '/stock', token: access });
      expect(request).toMatchObject({ failed: true, attributes: { 'error.type': '500' } });
      const failed = spans.filter((span) => span.failed && span !== request);
      const types = failed.map(({ attributes }) => attributes['error.type']);
      expect(types).toEqual(isServer ? expect.arrayContaining(['ER_NO_SUCH_TABLE']) : [expect.any(String)]);
    } finally {
      await service.database.sql('ALTER TABLE away RENAME TO stock');
    }
  });

  test('record nothing of a request that its caller does not sample, even after a sampled one', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const access = await token();
    const [sampled, unsampled, last] = [newTrace(), newTrace(), newTrace()];
    for (const [id, flags] of [
      [sampled, '01'],
      [unsampled, '00'],
      [last, '01'],
    ] as const)
      await call(service.url, { path: '/stock', token: access, agent, headers: traceparent(id, flags) });
    agent.destroy();
    await receiver.trace(last, traces.flush);
    expect(receiver.spans.filter(({ traceId }) => traceId === unsampled)).toEqual([]);
    const ofFirst = receiver.spans.filter(({ traceId }) => traceId === sampled);
    const { end } = ofFirst.find(({ kind }) => kind === SERVER)!;
    expect(ofFirst.filter(({ start }) => start > end)).toEqual([]);
  });

  test('start at the service without a valid traceparent', async () => {
    receiver.clear();
    await call(service.url, { headers: { traceparent: `00-${'0'.repeat(32)}-${SPAN_OF_CALLER}-01` } });
    const span = await until('a span', async () => {
      await traces.flush();
      return receiver.spans[0];
    });
    expect(span).toMatchObject({ name: 'GET /api/version', flags: 0x101, parentSpanId: undefined });
  });
});

/** The environment of a service that loads the module. */
const withModule = (endpoint: string) => ({
  DATABASE_URL: service.database.url,
  DEMO_DATA: 'false',
  LOG_FORMAT: 'json',
  JWT_SECRET: 'a-signing-secret-of-the-traces-suite',
  NODE_OPTIONS: `--import=${MODULE}`,
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
});

describe('the module in a process of its own (decision 195)', () => {
  test('exports the last spans before the process ends, and the log has the trace IDs', async () => {
    const collector = await OtlpReceiver.start();
    const own = { ...withModule(collector.endpoint), OTEL_SERVICE_NAME: 'own' };
    const child = ServiceProcess.start(own, service.database.folder);
    const { url } = await child.ready();
    const [sampled, unsampled] = [newTrace(), newTrace()];
    await call(url, { headers: traceparent(sampled) });
    await call(url, { headers: traceparent(unsampled, '00') });
    await call(url);
    expect(await child.stop()).toBe(0);
    const logged = child.log.filter(({ context }) => context === 'Request').map(({ traceId }) => traceId);
    expect(logged).toEqual([sampled, unsampled, expect.stringMatching(/^[\da-f]{32}$/)]);
    expect(collector.spans.map(({ traceId }) => traceId)).toEqual([sampled, logged[2]]);
    expect(collector.resources[0]).toMatchObject({ 'service.name': 'own', 'host.name': expect.any(String) });
    expect(collector.problems).toEqual([]);
    await collector.close();
  });

  test('exits if a setting of traces is invalid, and names it without its value', async () => {
    const child = ServiceProcess.start(withModule('http://user:secret@collector:4318'), service.database.folder);
    expect(await child.exit()).toBe(1);
    expect(child.output).toMatch(
      /OTEL_EXPORTER_OTLP_ENDPOINT must be an http:\/\/ or https:\/\/ URL without a password\n$/,
    );
    expect(child.output).not.toContain('secret');
  });
});
