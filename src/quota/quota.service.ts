import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { InjectThrottlerOptions, InjectThrottlerStorage, type ThrottlerModuleOptions } from '@nestjs/throttler';
import type { MeteredCustomer } from '../auth/identity.js';
import type { QuotaStorage } from './quota-storage.js';
import { judge, type LimitedWindow, type Verdict } from './verdict.js';

/** The one bucket of all requests that come from no proven customer. */
const ANONYMOUS = 'anonymous';

/** Counts requests against the quota of their customer, or of all anonymous clients. */
@Injectable()
export class QuotaService implements OnApplicationShutdown {
  private readonly windows: readonly LimitedWindow[];

  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() private readonly storage: QuotaStorage,
  ) {
    const { throttlers } = options as { throttlers: { name: string; ttl: number; limit: number }[] };
    this.windows = throttlers;
  }

  get windowNames(): string[] {
    return this.windows.map(({ name }) => name);
  }

  /** Makes the storage ready; resolves soon, whether or not it is. */
  start(): Promise<void> {
    return this.storage.start();
  }

  onApplicationShutdown(): void {
    this.storage.close();
  }

  /** Whether this replica counts for itself, since the shared storage does not answer. */
  get degraded(): boolean {
    return this.storage.degraded ?? false;
  }

  /** Counts one request of the customer, or of nobody in particular, and judges it. */
  async meter(customer?: MeteredCustomer): Promise<Verdict> {
    const windows = this.windowsOf(customer);
    return judge(windows, await this.storage.hit(bucketOf(customer), windows));
  }

  /** The verdict on each window as it stands, without counting. */
  async read(customer: MeteredCustomer): Promise<{ window: LimitedWindow; hits: number; endsAt: number }[]> {
    const windows = this.windowsOf(customer);
    const { counts } = await this.storage.read(bucketOf(customer), windows);
    return windows.map((window, index) => ({ window, ...counts[index]! }));
  }

  private windowsOf(customer?: MeteredCustomer): readonly LimitedWindow[] {
    if (!customer?.requestsPerMinute && !customer?.requestsPerHour) return this.windows;
    const own = [customer.requestsPerMinute, customer.requestsPerHour];
    return this.windows.map((window, index) => ({ ...window, limit: own[index] ?? window.limit }));
  }
}

/** A customer's code cannot be mistaken for the anonymous bucket. */
function bucketOf(customer?: MeteredCustomer): string {
  return customer ? `customer:${customer.customerCode}` : ANONYMOUS;
}
