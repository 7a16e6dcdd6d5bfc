import { AsyncResource } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import { requestChannel, type TracedRequest } from '../telemetry/request-channel.js';
import type { Span } from './span.js';
import { TraceRecorder } from './trace-recorder.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const queries = tracingChannel<unknown, object>('mysql2:query');

let spans: Span[];
let errors: unknown[];
let recorder: TraceRecorder;

function record(sampling = { followsParent: true, ratio: 1 }): void {
  [spans, errors] = [[], []];
  recorder = new TraceRecorder(
    sampling,
    (span) => spans.push(span),
    (error) => errors.push(error),
  );
  recorder.start();
}
afterEach(() => recorder.stop());

/** Publishes a request that does the work. @returns the message */
function request(work: () => void, fields: Partial<TracedRequest> = {}): TracedRequest {
  const message: TracedRequest = { route: '/stock', method: 'GET', ...fields };
  requestChannel.start.runStores(message, work);
  requestChannel.asyncEnd.publish(message);
  return message;
}

function query(message: object = { query: 'SELECT 1 FROM stock' }): void {
  queries.traceCallback(
    (done: () => void) => done(),
    0,
    message,
    undefined,
    () => undefined,
  );
}

describe('TraceRecorder (decision 195)', () => {
  test('records at most 100 spans below a request, and counts the others', () => {
    record();
    request(() => Array.from({ length: 150 }).forEach(() => query()));
    expect(spans).toHaveLength(101);
    expect(spans.at(-1)).toMatchObject({ name: 'GET /stock', attributes: { 'customer_data.spans.omitted': 50 } });
  });

  test('records no work outside of a request', () => {
    record();
    query();
    expect(spans).toEqual([]);
  });

  test('records no work that starts after the end of the request', () => {
    record();
    const later: (() => void)[] = [];
    request(() => void later.push(AsyncResource.bind(() => query())));
    later[0]!();
    expect(spans.map(({ name }) => name)).toEqual(['GET /stock']);
  });

  test('passes no error to the publisher if a driver publishes something else', () => {
    record();
    request(() => query({}));
    expect(errors).toEqual([expect.any(TypeError)]);
    expect(spans.map(({ name }) => name)).toEqual(['GET /stock']);
  });

  test('takes the code of an error, not its message', () => {
    record();
    const error = Object.assign(new Error("Duplicate entry 'secret'"), { code: 'ER_DUP_ENTRY' });
    request(() =>
      queries.traceCallback(
        (done: (error: Error) => void) => done(error),
        0,
        { query: 'SELECT' },
        null,
        () => undefined,
      ),
    );
    expect(spans[0]).toMatchObject({ errorType: 'ER_DUP_ENTRY' });
    expect(JSON.stringify(spans)).not.toContain('secret');
  });

  test.each([
    ['follows a caller that samples', true, true, 0, 1],
    ['follows a caller that does not sample', true, false, 1, 0],
    ['samples all, whatever the caller does', false, false, 1, 1],
    ['samples none, whatever the caller does', false, true, 0, 0],
  ])('%s', (_, followsParent, sampled, ratio, recorded) => {
    record({ followsParent, ratio });
    const { traceId } = request(query, { parent: { traceId: TRACE, spanId: '00f067aa0ba902b7', sampled } });
    expect(spans.filter(({ kind }) => kind === 2)).toHaveLength(recorded);
    expect(traceId).toBe(recorded ? TRACE : undefined);
  });

  test('samples a part of the requests, and gives only these a trace ID', () => {
    record({ followsParent: true, ratio: 0.25 });
    const ids = Array.from({ length: 1000 }, () => request(() => undefined).traceId);
    const sampled = ids.filter(Boolean);
    expect(sampled.length).toBeGreaterThan(150);
    expect(sampled.length).toBeLessThan(350);
    expect(sampled).toEqual(spans.map(({ traceId }) => traceId));
  });
});
