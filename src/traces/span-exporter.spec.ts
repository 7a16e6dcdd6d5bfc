import { freePort } from '../../test/support/free-port.mjs';
import { OtlpReceiver } from '../../test/support/otlp-receiver.js';
import type { Span } from './span.js';
import { SpanExporter } from './span-exporter.js';

const SPAN: Span = {
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  spanId: '00f067aa0ba902b7',
  isParentRemote: false,
  name: 'SELECT stock',
  kind: 3,
  attributes: { 'server.port': 3306, absent: undefined },
  startedAt: 1_795_987_269_105.857,
  endedAt: 1_795_987_269_106,
};

let receiver: OtlpReceiver;
let log: string[];
beforeEach(async () => {
  receiver = await OtlpReceiver.start(await freePort());
  log = [];
});
afterEach(() => receiver.close());

const print = (message: string) => void log.push(message);

function exporterTo(url: string): SpanExporter {
  return new SpanExporter({ url, headers: { authorization: 'secret' }, resource: {} }, { log: print, warn: print });
}

function add(exporter: SpanExporter, count: number): void {
  for (let index = 0; index < count; index++) exporter.add(SPAN);
}

describe('SpanExporter (decision 195)', () => {
  test('sends the exact times, numbers and headers', async () => {
    const exporter = exporterTo(receiver.url);
    add(exporter, 1);
    await exporter.flush();
    expect(receiver.spans).toEqual([
      expect.objectContaining({ start: 1795987269105857000n, end: 1795987269106000000n, failed: false }),
    ]);
    expect(receiver.spans[0]!.attributes).toEqual({ 'server.port': 3306 });
    expect(receiver.headers[0]).toMatchObject({ authorization: 'secret' });
  });

  test('sends a batch as soon as it is full', async () => {
    const exporter = exporterTo(receiver.url);
    add(exporter, 256);
    await exporter.flush();
    expect(receiver.spans).toHaveLength(256);
    expect(receiver.bodies).toHaveLength(1);
  });

  test('keeps at most 2,048 spans while the collector is down, sends them later, and logs both once', async () => {
    const { port, url } = receiver;
    await receiver.close();
    const exporter = exporterTo(url);
    add(exporter, 3000);
    await exporter.flush();
    await exporter.flush();
    const host = `127.0.0.1:${port}`;
    expect(log).toEqual([`Traces cannot be exported to ${host} (ECONNREFUSED). The service works without them.`]);
    receiver = await OtlpReceiver.start(port);
    await exporter.flush();
    expect(receiver.spans).toHaveLength(2048);
    expect(log.slice(1)).toEqual(['Traces are exported again. 952 spans were dropped.']);
  });

  test.each([429, 502, 503, 504])('repeats an export after a %i', async (status) => {
    receiver.status = status;
    const exporter = exporterTo(receiver.url);
    add(exporter, 2);
    await exporter.flush();
    receiver.status = 200;
    await exporter.flush();
    expect(receiver.spans).toHaveLength(2);
  });

  test.each([400, 401, 500])('drops an export after a %i', async (status) => {
    receiver.status = status;
    const exporter = exporterTo(receiver.url);
    add(exporter, 2);
    await exporter.flush();
    receiver.status = 200;
    add(exporter, 1);
    await exporter.flush();
    expect(receiver.spans).toHaveLength(1);
    expect(log).toEqual([
      expect.stringContaining(`(status ${status})`),
      'Traces are exported again. 2 spans were dropped.',
    ]);
  });

  test('gives up on a collector that does not respond', async () => {
    jest.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(AbortSignal.abort(new DOMException('late', 'TimeoutError')));
    const exporter = exporterTo(receiver.url);
    add(exporter, 1);
    await exporter.flush();
    expect(log).toEqual([expect.stringContaining('(TimeoutError)')]);
  });

  test('follows no redirect, which could pass the headers to another host', async () => {
    receiver.status = 307;
    const exporter = exporterTo(receiver.url);
    add(exporter, 1);
    await exporter.flush();
    expect(receiver.bodies).toHaveLength(1);
    expect(log).toHaveLength(1);
  });
});
