import { Inject, Injectable } from '@nestjs/common';
import { Counter, Gauge } from 'prom-client';
import { ExpiringKeysService } from '../auth/expiring-keys.service.js';
import { ProductDocuments } from '../catalog/product-documents.js';
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
const DATABASE_TIMEOUT_MS = 1000;
/** How long a time of {@link ExpiringKeysService.firstLoss} is exposed. Finding it takes long if there are many keys. */
const FIRST_LOSS_MS = 5 * 60_000;

/** Gauges and counters that are read when Prometheus scrapes them. */
@Injectable()
export class StateMetrics {
  /** These three keep the last values that the database returned. */
  private imported: Times = new Map();
  private failures: Times = new Map();
  private findings: readonly RecordedFindings[] = [];
  private readonly loadRecords = oneAtATime(async () => {
    [this.imported, this.failures, this.findings] = await Promise.all([
      this.imports.lastByTable(),
      this.imports.lastFailures(),
      this.checks.recorded(),
    ]);
  });
  private firstLoss?: Date;
  private firstLossLoadedAt = -Infinity;
  private readonly loadFirstLoss = oneAtATime(async () => {
    this.firstLoss = await this.keys.firstLoss();
    this.firstLossLoadedAt = Date.now();
  });

  constructor(
    private readonly metrics: MetricsService,
    private readonly imports: ImportLogService,
    private readonly checks: CatalogueCheckService,
    private readonly keys: ExpiringKeysService,
    private readonly database: DatabaseService,
    documents: ProductDocuments,
    slots: DownloadSlots,
    space: SpoolSpace,
    cache: ResponseCache,
    quotas: QuotaService,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.gauge(
      'downloads_limit',
      'Downloads that may read the database at the same time',
      () => settings.DOWNLOAD_POOL_SIZE,
    );
    this.gauge('downloads_active', 'Downloads that are reading the database', () => slots.load.reading);
    this.gauge('downloads_in_flight', 'Downloads that are being read or sent', () => slots.load.inFlight);
    this.gauge('downloads_waiting', 'Requests that are waiting for a download slot', () => slots.load.waiting);
    this.gauge('spool_up', '1 while the spool folder can be written', async () => Number(await space.probe()));
    this.gauge('spool_limit_bytes', 'Space in bytes that the spool may use', () => space.limitBytes);
    this.gauge(
      'spool_bytes',
      'Space in bytes that is reserved for responses to slow clients',
      () => space.reservedBytes,
    );
    this.gauge('response_cache_limit_bytes', 'Memory in bytes that cached responses may use', () => cache.limitBytes);
    this.gauge('response_cache_bytes', 'Memory in bytes that cached responses use', () => cache.heldBytes);
    this.counter('response_cache_hits', 'Responses sent from memory', () => cache.hits);
    this.counter('response_cache_misses', 'Responses that were not in memory', () => cache.misses);
    this.counter('response_cache_evictions', 'Responses dropped from memory to make room', () => cache.evictions);
    const made = 'Product documents that responses needed although they were not stored';
    this.counter('documents_made', made, () => documents.madeForResponses);
    const degraded =
      '1 while this replica counts requests on its own because Redis does not reply, and for a minute after that';
    this.gauge('quota_store_degraded', degraded, () => Number(quotas.degraded));
    const pools = (value: 'size' | 'inUse' | 'waiting') => () =>
      database.pools.map((pool): Sample => [pool.name, pool[value]]);
    this.gauge('database_connections_limit', 'Connections that the pool may have', pools('size'), 'pool');
    this.gauge('database_connections_in_use', 'Connections in use', pools('inUse'), 'pool');
    this.gauge('database_connections_waiting', 'Tasks that are waiting for a connection', pools('waiting'), 'pool');
    const replicas = (value: 'isReady' | 'lagSeconds') => () =>
      database.replicas.map((replica): Sample => [replica.name, Number(replica[value])]);
    const replicaUp = '1 while downloads read from the read replica';
    this.gauge('database_replica_up', replicaUp, replicas('isReady'), 'server');
    const lag = 'Seconds since the read replica was last known to have the content of the server';
    this.gauge('database_replica_lag_seconds', lag, replicas('lagSeconds'), 'server');
    const importedAt = 'When a file with new content was last imported into the table, in seconds since 1970';
    this.gauge('table_imported_timestamp_seconds', importedAt, () => this.importTimes(() => this.imported), 'table');
    const failed = 'When the last import of the past day that wrote nothing ended, in seconds since 1970';
    this.gauge('import_failed_timestamp_seconds', failed, () => this.importTimes(() => this.failures), 'outcome');
    const found = 'Findings of the last check of the catalogue, by rule';
    this.gauge('catalogue_findings', found, () => this.checked(({ count }) => count), 'rule');
    const checked = 'When the rule was last checked, in seconds since 1970';
    this.gauge('catalogue_checked_timestamp_seconds', checked, () => this.checked(checkedSecond), 'rule');
    const loss =
      'When the first active customer loses its last API key, from 7 days ago to in 90 days, in seconds since 1970';
    this.gauge('customer_access_ends_timestamp_seconds', loss, () => this.loss());
    const up = '1 while the database responds within a second and its schema is current';
    this.gauge('database_up', up, () => this.databaseUp());
  }

  private databaseUp(): Promise<number> {
    return withDeadline(this.database.ping(), DATABASE_TIMEOUT_MS, 'late').then(
      () => 1,
      () => 0,
    );
  }

  /** Does not wait long for the database, so that it cannot delay the scrape. The last known values stay. */
  private async refresh(load: () => Promise<void>): Promise<void> {
    await withDeadline(load(), DATABASE_TIMEOUT_MS, 'late').catch(() => undefined);
  }

  private async importTimes(known: () => Times): Promise<Sample[]> {
    await this.refresh(this.loadRecords);
    return [...known()].map(([label, time]) => [label, time.getTime() / 1000]);
  }

  private async loss(): Promise<number | undefined> {
    if (Date.now() - this.firstLossLoadedAt >= FIRST_LOSS_MS) await this.refresh(this.loadFirstLoss);
    return this.firstLoss && this.firstLoss.getTime() / 1000;
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
    await this.refresh(this.loadRecords);
    return this.findings.flatMap((findings) => {
      const sample = value(findings);
      return sample === undefined ? [] : [[findings.rule, sample] as Sample];
    });
  }

  private gauge(
    name: string,
    help: string,
    value: () => number | Sample[] | Promise<number | Sample[] | undefined>,
    ...labelNames: string[]
  ): void {
    const collect = async function (this: Gauge) {
      const samples = await value();
      if (typeof samples === 'number') return this.set(samples);
      this.reset();
      // `reset()` sets a gauge without labels to 0.
      if (!samples) return this.remove();
      for (const [label, sample] of samples) this.labels(label).set(sample);
    };
    const gauge = new Gauge({ name: `customer_data_${name}`, help, labelNames, registers: [], collect });
    this.metrics.registry.registerMetric(gauge);
  }
}

const checkedSecond = ({ checkedAt }: RecordedFindings) => (checkedAt ? checkedAt.getTime() / 1000 : undefined);

type Times = ReadonlyMap<string, Date>;

/** The value of the label, and the measured value. */
type Sample = [label: string, value: number];
