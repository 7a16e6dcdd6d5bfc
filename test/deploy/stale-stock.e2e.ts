import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWith } from '../support/describe-with.js';
import { importFiles } from '../support/import-files.js';
import { promtool, ruleGroups } from '../support/monitoring.js';
import { TestService } from '../support/test-service.js';

/** All timers except `Date`: the test changes only the date. */
const REAL_TIMERS = [
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setInterval',
  'clearInterval',
  'setTimeout',
  'clearTimeout',
] as const;
const HALF_HOUR_MS = 30 * 60_000;
const METRIC = 'customer_data_table_imported_timestamp_seconds{table="stock"}';

describeWith('promtool', 'a CronJob that imports stock each half hour', () => {
  let service: TestService;
  let folder: string;
  /** The metric at each half hour since 1970. The tests of promtool also begin in 1970. */
  const scraped: string[] = [];
  beforeAll(async () => {
    jest.useFakeTimers({ doNotFake: [...REAL_TIMERS], now: 0 });
    folder = mkdtempSync(join(tmpdir(), 'customer-data-stale-'));
    service = await TestService.start();
    await service.database.load(importFiles({ 'warehouses.csv': [['W']], 'products.csv': [['P']] }));
  });
  afterAll(async () => {
    await service.close();
    rmSync(folder, { recursive: true });
    jest.useRealTimers();
  });

  async function importFor(hours: number, quantity: string): Promise<void> {
    const files = await service.database.files(importFiles({ 'stock.csv': [['W', 'P', quantity]] }));
    for (let run = 0; run < hours * 2; run++) {
      await service.database.cliOk('import', files);
      const text = await (await fetch(`${service.managementUrl}/metrics`)).text();
      scraped.push(
        text
          .split('\n')
          .find((line) => line.startsWith(METRIC))!
          .split(' ')[1]!,
      );
      jest.setSystemTime(Date.now() + HALF_HOUR_MS);
    }
  }

  test('fires CustomerDataStockOld while the file stays the same, until a new one arrives (decision 102)', async () => {
    await importFor(24, '7');
    await importFor(1, '8');
    const firing = 'ALERTS{alertname="CustomerDataStockOld",alertstate="firing",namespace="live",severity="page"}';
    const at = (time: string, fires: boolean) => ({
      expr: 'ALERTS{alertstate="firing"}',
      eval_time: time,
      exp_samples: fires ? [{ labels: firing, value: 1 }] : [],
    });
    const series = [
      { series: 'up{job="customer-data",namespace="live"}', values: '1x2000' },
      // Each value lasts 30 minutes.
      { series: METRIC.replace('{', '{namespace="live",'), values: scraped.map((value) => `${value}x29`).join(' ') },
    ];
    const moments = [at('2h', false), at('2h10m', true), at('12h', true), at('23h50m', true), at('24h10m', false)];
    const tests = [{ interval: '1m', input_series: series, promql_expr_test: moments }];
    writeFileSync(join(folder, 'rules.yaml'), JSON.stringify({ groups: ruleGroups }));
    writeFileSync(join(folder, 'day.yaml'), JSON.stringify({ rule_files: ['rules.yaml'], tests }));
    expect(promtool(folder, 'test', 'rules', 'day.yaml')).toContain('SUCCESS');
  }, 240_000);
});
