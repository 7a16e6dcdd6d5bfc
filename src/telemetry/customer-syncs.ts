import { Gauge, type Registry } from 'prom-client';
import { elementPathsOf } from '../endpoints/data-endpoint.js';
import { DATA_ENDPOINTS } from '../endpoints/data-endpoints.js';
import type { FinishedResponse } from './finished-response.js';

/** How long the gauge keeps a customer without further responses, in seconds. This limits the number of series. */
export const KEPT_SECONDS = 7 * 86_400;

/** The resource of each path that returns data: `/stock` and `/stock/changes` both bring stock up to date. */
const RESOURCES: ReadonlyMap<string, string> = new Map(
  DATA_ENDPOINTS.flatMap((endpoint) =>
    elementPathsOf(endpoint).map((route) => [route, endpoint.path.slice(1)] as const),
  ),
);

interface Sync {
  readonly customer: string;
  readonly resource: string;
  /** Seconds since 1970. */
  readonly time: number;
}

/** Exposes when each customer last received a complete response of each resource from this process. */
export class CustomerSyncs {
  /** Ordered by time, because each response moves its entry to the end. */
  private readonly latest = new Map<string, Sync>();

  constructor(
    registry: Registry,
    private readonly now = () => Date.now() / 1000,
  ) {
    const gauge = new Gauge({
      name: 'customer_data_customer_synced_timestamp_seconds',
      help: 'When this process last sent the customer a complete 200 or a 304 of the resource, in seconds since 1970',
      labelNames: ['customer', 'resource'] as const,
      registers: [registry],
      collect: () => {
        gauge.reset();
        for (const { customer, resource, time } of this.kept()) gauge.set({ customer, resource }, time);
      },
    });
  }

  /** Records a response if its client has all data of a resource afterwards. A 304 proves that it already had them. */
  record({ customer, route, method, status, ended }: FinishedResponse): void {
    const resource = RESOURCES.get(route);
    if (!customer || !resource || method !== 'GET' || ended !== 'complete') return;
    if (status !== 200 && status !== 304) return;
    const key = `${resource} ${customer}`;
    this.latest.delete(key);
    this.latest.set(key, { customer, resource, time: this.now() });
  }

  private kept(): Iterable<Sync> {
    const oldest = this.now() - KEPT_SECONDS;
    for (const [key, { time }] of this.latest) {
      if (time >= oldest) break;
      this.latest.delete(key);
    }
    return this.latest.values();
  }
}
