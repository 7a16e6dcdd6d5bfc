import { startTraces } from '../../src/traces/start-traces.js';
import { call } from '../support/http-call.js';
import { FAILING_LOG, OtlpReceiver } from '../support/otlp-receiver.js';
import { RedisServer } from '../support/redis-server.js';
import { TestService } from '../support/test-service.js';
import { until } from '../support/until.js';

test('a trace has the command that counts the request, without its arguments (decision 195)', async () => {
  const redis = await RedisServer.create();
  await redis.start();
  const receiver = await OtlpReceiver.start();
  const service = await TestService.start({ REDIS_URL: redis.url });
  const settings = { url: receiver.url, headers: {}, resource: {}, sampling: { followsParent: true, ratio: 1 } };
  const traces = startTraces(settings, FAILING_LOG);
  try {
    await until('a trace with a command', async () => {
      receiver.clear();
      await call(service.url);
      await traces.flush();
      return receiver.spans.length === 2;
    });
    const [command, request] = receiver.spans;
    expect(request).toMatchObject({ name: 'GET /api/version', traceId: command!.traceId });
    expect(command).toMatchObject({ name: 'EVAL', kind: 3, parentSpanId: request!.spanId, failed: false });
    expect(command!.attributes).toEqual({
      'db.system.name': 'redis',
      'db.namespace': '0',
      'db.operation.name': 'EVAL',
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(redis.url).port),
    });
    expect([receiver.problems, receiver.bodies.join()]).toEqual([[], expect.not.stringMatching(/quota:|HMGET/)]);
  } finally {
    traces.stop();
    await service.close();
    await receiver.close();
    await redis.remove();
  }
});
