import { SettingsError } from './settings-error.js';
import { readTraceSettings } from './trace-settings.js';

const ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT';
const TRACES_ENDPOINT = 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';

describe('readTraceSettings (decision 195)', () => {
  test('has the defaults of OpenTelemetry', () => {
    expect(readTraceSettings({})).toEqual({
      url: 'http://localhost:4318/v1/traces',
      headers: {},
      resource: { 'service.name': 'customer-data-service', 'host.name': expect.any(String) },
      sampling: { followsParent: true, ratio: 1 },
    });
  });

  test.each([
    [{ [ENDPOINT]: 'http://collector:4318/' }, 'http://collector:4318/v1/traces'],
    [{ [ENDPOINT]: 'https://host/otlp' }, 'https://host/otlp/v1/traces'],
    [{ [ENDPOINT]: 'http://all', [TRACES_ENDPOINT]: 'http://traces/as/it/is' }, 'http://traces/as/it/is'],
  ])('takes the URL from %j', (env, url) => {
    expect(readTraceSettings(env)!.url).toBe(url);
  });

  test('reads headers and attributes, with percent-encoded values', () => {
    const headers = { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20YTpi, x-tenant = a=b ' };
    const resource = { OTEL_RESOURCE_ATTRIBUTES: 'service.name=a,k8s.pod.name=p-1', OTEL_SERVICE_NAME: 'b' };
    expect(readTraceSettings({ ...headers, ...resource })).toMatchObject({
      headers: { authorization: 'Basic YTpi', 'x-tenant': 'a=b' },
      resource: { 'service.name': 'b', 'k8s.pod.name': 'p-1' },
    });
  });

  test.each([
    ['always_on', '0.1', false, 1],
    ['always_off', undefined, false, 0],
    ['traceidratio', '0.1', false, 0.1],
    ['parentbased_always_off', undefined, true, 0],
    ['parentbased_traceidratio', '0.1', true, 0.1],
    ['parentbased_traceidratio', undefined, true, 1],
  ])('reads the sampler %s with the argument %s', (sampler, argument, followsParent, ratio) => {
    const env = { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: argument };
    expect(readTraceSettings(env)!.sampling).toEqual({ followsParent, ratio });
  });

  test.each([{ OTEL_SDK_DISABLED: 'true' }, { OTEL_TRACES_EXPORTER: 'none' }])('is undefined with %j', (env) => {
    expect(readTraceSettings({ ...env, [ENDPOINT]: 'nonsense' })).toBeUndefined();
  });

  test.each(['a%20b(=secret', 'a=%E2%82%ACsecret', 'a=secret%0Ab'])(
    'refuses headers that HTTP does not allow: %s',
    (text) => {
      const env = { OTEL_EXPORTER_OTLP_TRACES_HEADERS: text };
      expect(() => readTraceSettings(env)).toThrow(
        /OTEL_EXPORTER_OTLP_TRACES_HEADERS must contain only names and values/,
      );
      expect(() => readTraceSettings(env)).not.toThrow(/secret/);
    },
  );

  test('lists every invalid variable without its value', () => {
    const env = {
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      [ENDPOINT]: 'http://user:secret@collector',
      OTEL_EXPORTER_OTLP_HEADERS: 'secret',
      OTEL_RESOURCE_ATTRIBUTES: 'a=%ZZsecret',
      OTEL_TRACES_SAMPLER: 'secret',
      OTEL_TRACES_SAMPLER_ARG: '2',
    };
    expect(() => readTraceSettings(env)).toThrow(SettingsError);
    expect(() => readTraceSettings(env)).toThrow(new RegExp(Object.keys(env).join('[^]*')));
    expect(() => readTraceSettings(env)).not.toThrow(/secret/);
  });
});
