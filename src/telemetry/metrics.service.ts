import { Inject, Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import { SETTINGS, type Settings } from '../config/settings.js';
import { INVARIANTS, violations } from '../invariants/invariants.js';
import { QuotaService } from '../quota/quota.service.js';
import { CustomerSyncs } from './customer-syncs.js';
import type { FinishedResponse } from './finished-response.js';

/** Counts responses and exposes metrics of the process. */
@Injectable()
export class MetricsService {
  readonly registry = new Registry();
  private readonly registers = [this.registry];

  private readonly duration = new Histogram({
    name: 'customer_data_request_duration_seconds',
    help: 'Requests by the time until their response was sent or aborted',
    labelNames: ['route', 'method', 'status'] as const,
    buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120, 600],
    registers: this.registers,
  });
  private readonly bytes = new Counter({
    name: 'customer_data_sent_bytes_total',
    help: 'Bytes of responses including their headers, before encryption',
    labelNames: ['route'] as const,
    registers: this.registers,
  });
  private readonly aborted = new Counter({
    name: 'customer_data_responses_aborted_total',
    help: 'Responses that the client left or the service aborted',
    labelNames: ['route', 'ended'] as const,
    registers: this.registers,
  });
  private readonly refusals = new Counter({
    name: 'customer_data_quota_refusals_total',
    help: 'Requests that a quota refused, by its window',
    labelNames: ['window'] as const,
    registers: this.registers,
  });
  /** Only with `METRICS_BY_CUSTOMER`: a series per customer takes much space, and not everyone may see the names. */
  private readonly customerRequests?: Counter<'customer' | 'route' | 'status'>;
  /** Only with `METRICS_BY_CUSTOMER`. */
  private readonly syncs?: CustomerSyncs;

  constructor(@Inject(SETTINGS) { METRICS_BY_CUSTOMER }: Settings, quotas: QuotaService) {
    collectDefaultMetrics({ register: this.registry });
    this.countViolations();
    for (const window of quotas.windowNames) this.refusals.inc({ window }, 0);
    if (!METRICS_BY_CUSTOMER) return;
    this.customerRequests = new Counter({
      name: 'customer_data_customer_requests_total',
      help: 'Requests of each customer',
      labelNames: ['customer', 'route', 'status'] as const,
      registers: this.registers,
    });
    this.syncs = new CustomerSyncs(this.registry);
  }

  /** Starts the counters of a route at 0, so that Prometheus sees the first increment. */
  initialize(route: string, method: string): void {
    this.duration.zero({ route, method, status: 500 });
    this.bytes.inc({ route }, 0);
    for (const ended of ['left', 'aborted']) this.aborted.inc({ route, ended }, 0);
  }

  count(response: FinishedResponse): void {
    const { route, method, seconds, bytes, ended, customer, refusedBy } = response;
    const status = response.status ?? 'none';
    this.duration.observe({ route, method, status }, seconds);
    this.bytes.inc({ route }, bytes);
    if (ended !== 'complete') this.aborted.inc({ route, ended });
    if (refusedBy) this.refusals.inc({ window: refusedBy });
    if (customer) this.customerRequests?.inc({ customer, route, status });
    this.syncs?.record(response);
  }

  private countViolations(): void {
    const counter = new Counter({
      name: 'customer_data_invariant_violations_total',
      help: 'Responses that the service did not finish because they would have been wrong, by the violated invariant',
      labelNames: ['invariant'] as const,
      registers: this.registers,
      collect: () => {
        counter.reset();
        for (const invariant of INVARIANTS) counter.inc({ invariant }, violations[invariant]);
      },
    });
  }
}
