import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { alerts, PROJECT, promtool, ruleGroups, rules, textOf } from '../support/monitoring.js';
import { describeWith } from '../support/describe-with.js';

/** The tests for promtool. The name of a test lists its alerts before the colon. */
const ALERT_TESTS = join(__dirname, 'alerts');
const readme = textOf('deploy/README.md');

interface AlertTest {
  name: string;
  promql_expr_test: { exp_samples?: { labels: string }[] }[];
}

const expected = ({ promql_expr_test: moments }: AlertTest) =>
  moments.flatMap(({ exp_samples: samples = [] }) => samples.map(({ labels }) => labels));

describe('the alerts', () => {
  test('have a severity, a summary, a description and a runbook', () => {
    for (const { alert, for: duration, labels, annotations } of alerts) {
      expect([alert, labels]).toEqual([alert, { severity: expect.stringMatching(/^(page|ticket)$/) }]);
      expect([alert, duration]).toEqual([alert, expect.stringMatching(/^\d+m$/)]);
      expect([alert, annotations]).toEqual([
        alert,
        {
          summary: expect.stringMatching(/\w/),
          description: expect.stringMatching(/\$value|\$labels/),
          runbook: `docs/operations.md#${alert!.toLowerCase()}`,
        },
      ]);
    }
  });

  test('have exactly one section each in docs/operations.md', () => {
    const [, section] = /^## Alerts$([^]*?)(?=^## |(?![^]))/m.exec(textOf('docs/operations.md'))!;
    const written = section!.split(/^### /m).slice(1);
    expect(written.map((one) => one.split('\n')[0])).toEqual([...new Set(alerts.map(({ alert }) => alert))]);
    for (const { alert, labels } of alerts)
      expect(written.find((one) => one.startsWith(`${alert}\n`))).toMatch(
        new RegExp(`\\*\\*${labels!.severity}\\b`, 'i'),
      );
  });

  test('have a test in which they fire and a test in which they do not', () => {
    const tests = readdirSync(ALERT_TESTS).flatMap(
      (file) => (parse(readFileSync(join(ALERT_TESTS, file), 'utf8')) as { tests: AlertTest[] }).tests,
    );
    for (const { alert, labels } of alerts) {
      const own = tests.filter(({ name }) => name.split(':')[0]!.split(', ').includes(alert!)).map(expected);
      const fired = own.some((all) => all.some((one) => one.includes(`severity="${labels!.severity}"`)));
      const silent = own.some((all) => !all.length);
      expect([alert, fired, silent]).toEqual([alert, true, true]);
    }
  });
});

describeWith('promtool', 'the rules for Prometheus', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'customer-data-rules-'));
    const [, command] = /^(sed .*) > customer-data\.rules\.yaml$/m.exec(readme)!;
    const plain = execFileSync('sh', ['-c', command!], { cwd: PROJECT });
    for (const name of ['customer-data.rules.yaml', 'rules.yaml']) writeFileSync(join(folder, name), plain);
    cpSync(ALERT_TESTS, folder, { recursive: true });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('are all in the file that the README generates for Prometheus without the operator', () => {
    expect(parse(readFileSync(join(folder, 'rules.yaml'), 'utf8'))).toEqual({ groups: ruleGroups });
    expect(promtool(folder, 'check', 'rules', 'rules.yaml')).toContain(`SUCCESS: ${rules.length} rules found`);
  });

  test('fire exactly when their tests expect it', () => {
    const files = readdirSync(ALERT_TESTS);
    expect(promtool(folder, 'test', 'rules', ...files).match(/SUCCESS/g)).toHaveLength(files.length);
  }, 180_000);

  test('fail their tests with another threshold', () => {
    const changed = mkdtempSync(join(folder, 'changed-'));
    const others = readFileSync(join(folder, 'rules.yaml'), 'utf8').replace('> 2 * 3600', '> 4 * 3600');
    writeFileSync(join(changed, 'rules.yaml'), others);
    cpSync(join(ALERT_TESTS, 'freshness.yaml'), join(changed, 'freshness.yaml'));
    expect(() => promtool(changed, 'test', 'rules', 'freshness.yaml')).toThrow('CustomerDataStockOld');
  }, 60_000);

  test('are loaded by the configuration in the README, which has the job that they name', () => {
    const [, yaml] = /^```yaml\n(rule_files:[^]*?)^```$/m.exec(readme)!;
    const { rule_files, scrape_configs } = parse(yaml!) as { rule_files: string[]; scrape_configs: object[] };
    // Debian's promtool is built without service discovery for Kubernetes.
    const [{ kubernetes_sd_configs, ...job }] = scrape_configs as [{ kubernetes_sd_configs?: unknown }];
    expect([kubernetes_sd_configs, job]).toMatchObject([[{ role: 'endpoints' }], { job_name: 'customer-data' }]);
    const checked = { rule_files, scrape_configs: [{ ...job, static_configs: [{ targets: ['localhost:3001'] }] }] };
    writeFileSync(join(folder, 'prometheus.yaml'), JSON.stringify(checked));
    expect(promtool(folder, 'check', 'config', 'prometheus.yaml')).toContain(`SUCCESS: ${rules.length} rules found`);
  });
});
