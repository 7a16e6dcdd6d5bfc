import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { InjectThrottlerOptions, InjectThrottlerStorage, type ThrottlerModuleOptions } from '@nestjs/throttler';
import type { MeteredCustomer } from '../auth/identity.js';
import type { QuotaStorage } from './quota-storage.js';
import { judge, type LimitedWindow, type Verdict } from './verdict.js';

/** The shared bucket of all requests without a verified customer. */
const ANONYMOUS = 'anonymous';

/** Counts each request in the quota of its customer, or in the quota that all anonymous clients share. */
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

  /** Prepares the storage. Resolves within seconds, even on failure. @throws {SettingsError} if it can never count */
  start(): Promise<void> {
    return this.storage.start();
  }

  onApplicationShutdown(): void {
    this.storage.close();
  }

  /** Whether this replica counts on its own, now or recently, because the shared storage does not reply. */
  get degraded(): boolean {
    return this.storage.degraded ?? false;
  }

  /** Counts one request of the customer, or an anonymous one, and decides whether it is admitted. */
  async meter(customer?: MeteredCustomer): Promise<Verdict> {
    const windows = this.windowsOf(customer);
    return judge(windows, await this.storage.hit(bucketOf(customer), windows));
  }

  /** Returns the current state of each window of the customer without counting. */
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

/** The prefix keeps a customer with the code `anonymous` out of the anonymous bucket. */
function bucketOf(customer?: MeteredCustomer): string {
  return customer ? `customer:${customer.customerCode}` : ANONYMOUS;
}
