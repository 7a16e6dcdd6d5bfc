import type { IServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import type { IDeployment } from 'kubernetes-models/apps/v1';
import type { IConfigMap, IService } from 'kubernetes-models/v1';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dashboardProblems, expressionsOf } from '../support/dashboard.js';
import { scrapeEverything } from '../support/every-metric.js';
import { brokenReferences } from '../support/manifest-references.js';
import { schemaProblems } from '../support/manifest-schema.js';
import { type Manifest, ofKind, renderExample, spoilt, titleOf } from '../support/manifests.js';
import { describeWith } from '../support/describe-with.js';
import { alerts, dashboard, promtool, rules } from '../support/monitoring.js';
import { type Series, unknownIn } from '../support/promql.js';

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'customer-data-monitoring-'))));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the series of the alerts and the dashboard', () => {
  let series: Series[];
  beforeAll(async () => {
    const scraped = await scrapeEverything();
    // Prometheus itself adds `up`, and the recording rules add the recorded series, with labels of the series they read.
    const recorded = rules.flatMap(({ record, expr }) =>
      record ? scraped.filter(({ name }) => String(expr).includes(name)).map((one) => ({ ...one, name: record })) : [],
    );
    series = [...scraped, ...recorded, { name: 'up', labels: {} }];
  }, 120_000);

  test('exist in the metrics of the service with their label values', () => {
    expect(rules.flatMap(({ expr }) => unknownIn(String(expr), series))).toEqual([]);
    expect(expressionsOf(dashboard).flatMap((expression) => unknownIn(expression, series))).toEqual([]);
  });

  test.each([
    ['rate(customer_data_request_seconds_count[5m])', 'customer_data_request_seconds_count'],
    ['rate(customer_data_request_duration_seconds[5m])', 'customer_data_request_duration_seconds'],
    [
      'customer_data_database_connections_limit{pool="other"}',
      'customer_data_database_connections_limit{pool="other"}',
    ],
    ['customer_data_sent_bytes_total{window!="1m"}', 'customer_data_sent_bytes_total{window!="1m"}'],
    ['sum by (namespace, window) (customer_data_sent_bytes_total)', 'by (window)'],
  ])('do not include %s', (expression, problem) => {
    expect(unknownIn(expression, series)).toEqual([problem]);
  });
});

describe('the dashboard', () => {
  test('needs no Grafana plugins and has descriptions', () => {
    expect(dashboardProblems(dashboard)).toEqual([]);
  });

  test('draws its lines at the thresholds of alerts', () => {
    const lines = dashboard.panels.flatMap(
      ({ fieldConfig }) => fieldConfig?.defaults.thresholds?.steps.at(-1)!.value ?? [],
    );
    expect(lines).toEqual([0.072, 500 * 1024 * 1024]);
    expect(expressionOf('CustomerDataErrors')).toContain(' > 0.072\n');
    expect(expressionOf('CustomerDataMemoryHigh')).toMatch(/ > 500 \* 1024 \* 1024$/);
  });
});

describeWith('promtool', 'the panels', () => {
  test('contain valid PromQL', () => {
    const panels = expressionsOf(dashboard).map((expr, index) => ({
      record: `panel:${index}`,
      expr: expr.replaceAll('$__rate_interval', '5m'),
    }));
    writeFileSync(join(folder, 'panels.yaml'), JSON.stringify({ groups: [{ name: 'panels', rules: panels }] }));
    expect(promtool(folder, 'check', 'rules', 'panels.yaml')).toContain(`SUCCESS: ${panels.length} rules found`);
  });
});

describeWith('kubectl', 'deploy/monitoring', () => {
  let manifests: Manifest[];
  beforeAll(() => void (manifests = renderExample(['stock-import', 'monitoring'])));

  const only = <T>(kind: string, name: string) => {
    const found = ofKind<T>(manifests, kind).filter(({ metadata }) => metadata.name === name);
    expect(found.map(titleOf)).toHaveLength(1);
    return found[0]!;
  };

  test('matches the schemas of the operator and of Kubernetes', async () => {
    expect(await schemaProblems(manifests)).toEqual([]);
  }, 120_000);

  test.each([
    ['"scrapeTimeout"', '"scrapeTimeOut"', 'scrapeTimeOut'],
    ['"for":"15m"', '"for":"15 min"', '/for must match'],
  ])(
    'fails the schemas with %s replaced by %s',
    async (from, to, problem) => {
      expect((await schemaProblems(spoilt(manifests, (text) => text.replace(from, to)))).join('\n')).toContain(problem);
    },
    120_000,
  );

  test('scrapes the management port with the job name of the rules', () => {
    expect(brokenReferences(manifests)).toEqual([]);
    const other = spoilt(manifests, (text) =>
      text.replace('"management","scrapeTimeout"', '"metrics","scrapeTimeout"'),
    );
    expect(brokenReferences(other)).toEqual([
      'ServiceMonitor customer-data: Service customer-data-management has no port metrics',
    ]);
    const { jobLabel } = only<IServiceMonitor>('ServiceMonitor', 'customer-data').spec!;
    expect(only<IService>('Service', 'customer-data-management').metadata.labels).toMatchObject({
      [jobLabel!]: 'customer-data',
    });
  });

  test('contains the dashboard with the label that Grafana looks for and a fixed name', () => {
    const { data, metadata } = only<IConfigMap>('ConfigMap', 'customer-data-dashboard');
    expect(metadata.labels).toMatchObject({ grafana_dashboard: '1' });
    expect(JSON.parse(data!['dashboard.json']!)).toEqual(dashboard);
  });

  test('warns of memory before Node exits, and of CPU at twice the target of the autoscaler', () => {
    const [container] = only<IDeployment>('Deployment', 'customer-data').spec!.template.spec!.containers;
    // Node's heap limit is half of the memory limit: 512 MiB.
    expect(container!.resources).toMatchObject({ limits: { memory: '1Gi' }, requests: { cpu: '500m' } });
    const { spec } = only<{ spec: { metrics: unknown[] } }>('HorizontalPodAutoscaler', 'customer-data');
    expect(spec.metrics).toMatchObject([{ resource: { target: { averageUtilization: 70 } } }]);
    expect(expressionOf('CustomerDataBusy')).toMatch(/ > 0\.7$/);
  });
});

/** The expression of the first alert with this name. */
function expressionOf(name: string): string {
  return String(alerts.find(({ alert }) => alert === name)!.expr);
}
