import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { alerts, PROJECT, promtool, ruleGroups, rules, textOf } from '../support/monitoring.js';
import { describeWith } from '../support/describe-with.js';

/** Tests for promtool. Before the colon the name of each says which alerts it is of. */
const ALERT_TESTS = join(__dirname, 'alerts');
const readme = textOf('deploy/README.md');

interface AlertTest {
  name: string;
  promql_expr_test: { exp_samples?: { labels: string }[] }[];
}

const expected = ({ promql_expr_test: moments }: AlertTest) =>
  moments.flatMap(({ exp_samples: samples = [] }) => samples.map(({ labels }) => labels));

describe('the alerts', () => {
  test('say how bad they are, what is wrong, and where to read on', () => {
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

  test('have a section each in docs/operations.md, and no other has one', () => {
    const [, section] = /^## Alerts$([^]*?)(?=^## |(?![^]))/m.exec(textOf('docs/operations.md'))!;
    const written = section!.split(/^### /m).slice(1);
    expect(written.map((one) => one.split('\n')[0])).toEqual([...new Set(alerts.map(({ alert }) => alert))]);
    for (const { alert, labels } of alerts)
      expect(written.find((one) => one.startsWith(`${alert}\n`))).toMatch(
        new RegExp(`\\*\\*${labels!.severity}\\b`, 'i'),
      );
  });

  test('are tested each, with series that make them fire and with others that do not', () => {
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

  test('are all in the file that the README has Prometheus read without the operator', () => {
    expect(parse(readFileSync(join(folder, 'rules.yaml'), 'utf8'))).toEqual({ groups: ruleGroups });
    expect(promtool(folder, 'check', 'rules', 'rules.yaml')).toContain(`SUCCESS: ${rules.length} rules found`);
  });

  test('fire when they should, and not when they should not', () => {
    const files = readdirSync(ALERT_TESTS);
    expect(promtool(folder, 'test', 'rules', ...files).match(/SUCCESS/g)).toHaveLength(files.length);
  }, 180_000);

  test('and one that fires at another time fails', () => {
    const spoilt = mkdtempSync(join(folder, 'spoilt-'));
    const others = readFileSync(join(folder, 'rules.yaml'), 'utf8').replace('> 2 * 3600', '> 4 * 3600');
    writeFileSync(join(spoilt, 'rules.yaml'), others);
    cpSync(join(ALERT_TESTS, 'freshness.yaml'), join(spoilt, 'freshness.yaml'));
    expect(() => promtool(spoilt, 'test', 'rules', 'freshness.yaml')).toThrow('CustomerDataStockOld');
  }, 60_000);

  test('are loaded by the configuration in the README, from the job that they ask for', () => {
    const [, yaml] = /^```yaml\n(rule_files:[^]*?)^```$/m.exec(readme)!;
    const { rule_files, scrape_configs } = parse(yaml!) as { rule_files: string[]; scrape_configs: object[] };
    // Debian's promtool is built without finding targets in Kubernetes.
    const [{ kubernetes_sd_configs, ...job }] = scrape_configs as [{ kubernetes_sd_configs?: unknown }];
    expect([kubernetes_sd_configs, job]).toMatchObject([[{ role: 'endpoints' }], { job_name: 'customer-data' }]);
    const checked = { rule_files, scrape_configs: [{ ...job, static_configs: [{ targets: ['localhost:3001'] }] }] };
    writeFileSync(join(folder, 'prometheus.yaml'), JSON.stringify(checked));
    expect(promtool(folder, 'check', 'config', 'prometheus.yaml')).toContain(`SUCCESS: ${rules.length} rules found`);
  });
});
