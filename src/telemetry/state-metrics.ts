import { Inject, Injectable } from '@nestjs/common';
import { Counter, Gauge } from 'prom-client';
import { CatalogueCheckService, type RecordedFindings } from '../check/catalogue-check.service.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { DatabaseService } from '../database/database.service.js';
import { oneAtATime, withDeadline } from '../database/deadline.js';
import { DownloadSlots } from '../download/download-slots.js';
import { ResponseCache } from '../download/response-cache.js';
import { SpoolSpace } from '../download/spool-space.js';
import { ImportLogService } from '../import/import-log.service.js';
import { QuotaService } from '../quota/quota.service.js';
import { MetricsService } from './metrics.service.js';

/** How long a scrape waits for the database, in milliseconds. */
const PATIENCE_MS = 1000;

/** What state the process is in, as it is when somebody asks. */
@Injectable()
export class StateMetrics {
  /** As the database last told. */
  private imported: Times = new Map();
  private failures: Times = new Map();
  private findings: readonly RecordedFindings[] = [];
  private readonly askForRecords = oneAtATime(async () => {
    [this.imported, this.failures, this.findings] = await Promise.all([
      this.imports.lastByTable(),
      this.imports.lastFailures(),
      this.checks.recorded(),
    ]);
  });

  constructor(
    private readonly metrics: MetricsService,
    private readonly imports: ImportLogService,
    private readonly checks: CatalogueCheckService,
    private readonly database: DatabaseService,
    slots: DownloadSlots,
    space: SpoolSpace,
    cache: ResponseCache,
    quotas: QuotaService,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.gauge('downloads_limit', 'Downloads that may read the database at once', () => settings.DOWNLOAD_POOL_SIZE);
    this.gauge('downloads_active', 'Downloads that read the database', () => slots.load.reading);
    this.gauge('downloads_in_flight', 'Downloads that are read or sent', () => slots.load.inFlight);
    this.gauge('downloads_waiting', 'Requests that wait for a download slot', () => slots.load.waiting);
    this.gauge('spool_up', '1 while the spool folder can be written', async () => Number(await space.probe()));
    this.gauge('spool_limit_bytes', 'Space that the spool may use', () => space.limitBytes);
    this.gauge('spool_bytes', 'Space reserved for what slow clients have not taken yet', () => space.reservedBytes);
    this.gauge('response_cache_limit_bytes', 'Memory that finished responses may use', () => cache.limitBytes);
    this.gauge('response_cache_bytes', 'Memory of finished responses', () => cache.heldBytes);
    this.counter('response_cache_hits', 'Responses sent from memory', () => cache.hits);
    this.counter('response_cache_misses', 'Responses that were not in memory', () => cache.misses);
    this.counter('response_cache_evictions', 'Responses dropped from memory to make room', () => cache.evictions);
    const alone = '1 while this replica counts requests for itself, since Redis does not answer';
    this.gauge('quota_store_degraded', alone, () => Number(quotas.degraded));
    const pools = (value: 'size' | 'inUse' | 'waiting') => () =>
      database.pools.map((pool): Sample => [pool.name, pool[value]]);
    this.gauge('database_connections_limit', 'Connections that a pool may have', pools('size'), 'pool');
    this.gauge('database_connections_in_use', 'Connections that are taken', pools('inUse'), 'pool');
    this.gauge('database_connections_waiting', 'Tasks that wait for a connection', pools('waiting'), 'pool');
    const replicas = (value: 'isReady' | 'lagSeconds') => () =>
      database.replicas.map((replica): Sample => [replica.name, Number(replica[value])]);
    const isRead = '1 while downloads read from the read replica';
    this.gauge('database_replica_up', isRead, replicas('isReady'), 'server');
    const lag = 'How long ago the read replica was last known to have the content of the server, in seconds';
    this.gauge('database_replica_lag_seconds', lag, replicas('lagSeconds'), 'server');
    const at = 'When a file with new content was last imported into the table, in seconds since 1970';
    this.gauge('table_imported_timestamp_seconds', at, () => this.importTimes(() => this.imported), 'table');
    const failed = 'When an import of the last day last ended that wrote nothing, in seconds since 1970';
    this.gauge('import_failed_timestamp_seconds', failed, () => this.importTimes(() => this.failures), 'outcome');
    const found = 'What the last check of the catalogue found, by rule';
    this.gauge('catalogue_findings', found, () => this.checked(({ count }) => count), 'rule');
    const checked = 'When the rule was last checked, in seconds since 1970';
    this.gauge('catalogue_checked_timestamp_seconds', checked, () => this.checked(checkedSecond), 'rule');
    const up = '1 while the database answers within a second and its schema is current';
    this.gauge('database_up', up, () => this.databaseUp());
  }

  private databaseUp(): Promise<number> {
    return withDeadline(this.database.ping(), PATIENCE_MS, 'late').then(
      () => 1,
      () => 0,
    );
  }

  /** A database that does not respond must not delay the other metrics: they show what is known. */
  private async refresh(): Promise<void> {
    await withDeadline(this.askForRecords(), PATIENCE_MS, 'late').catch(() => undefined);
  }

  private async importTimes(known: () => Times): Promise<Sample[]> {
    await this.refresh();
    return [...known()].map(([label, time]) => [label, time.getTime() / 1000]);
  }

  private counter(name: string, help: string, value: () => number): void {
    const collect = function (this: Counter) {
      this.reset();
      this.inc(value());
    };
    const counter = new Counter({ name: `customer_data_${name}_total`, help, registers: [], collect });
    this.metrics.registry.registerMetric(counter);
  }

  private async checked(value: (findings: RecordedFindings) => number | undefined): Promise<Sample[]> {
    await this.refresh();
    return this.findings.flatMap((findings) => {
      const sample = value(findings);
      return sample === undefined ? [] : [[findings.rule, sample] as Sample];
    });
  }

  private gauge(
    name: string,
    help: string,
    value: () => number | Sample[] | Promise<number | Sample[]>,
    ...labelNames: string[]
  ): void {
    const collect = async function (this: Gauge) {
      const samples = await value();
      if (typeof samples === 'number') return this.set(samples);
      this.reset();
      for (const [label, sample] of samples) this.labels(label).set(sample);
    };
    const gauge = new Gauge({ name: `customer_data_${name}`, help, labelNames, registers: [], collect });
    this.metrics.registry.registerMetric(gauge);
  }
}

const checkedSecond = ({ checkedAt }: RecordedFindings) => (checkedAt ? checkedAt.getTime() / 1000 : undefined);

type Times = ReadonlyMap<string, Date>;

/** The value of a label and what is measured there. */
type Sample = [label: string, value: number];
