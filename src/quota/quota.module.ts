import { Module } from '@nestjs/common';
import { hours, minutes, ThrottlerModule } from '@nestjs/throttler';
import { readFileSync } from 'node:fs';
import { SETTINGS, type Settings } from '../config/settings.js';
import { FailoverQuotaStorage, REPLY_TIMEOUT_MS } from './failover-quota-storage.js';
import { MemoryQuotaStorage } from './memory-quota-storage.js';
import type { ThrottlerQuotaStorage } from './quota-storage.js';
import { QuotaMiddleware } from './quota.middleware.js';
import { QuotaService } from './quota.service.js';

/** Counts requests and decides which ones are admitted. Counts in Redis if `REDIS_URL` is set, else in this process. */
@Module({
  imports: [
    ThrottlerModule.forRootAsync({
      inject: [SETTINGS],
      useFactory: async (settings: Settings) => ({
        throttlers: [
          { name: '1m', ttl: minutes(1), limit: settings.REQUESTS_PER_MINUTE },
          { name: '1h', ttl: hours(1), limit: settings.REQUESTS_PER_HOUR },
        ],
        storage: await storageOf(settings),
      }),
    }),
  ],
  providers: [QuotaMiddleware, QuotaService],
  exports: [QuotaMiddleware, QuotaService],
})
export class QuotaModule {}

async function storageOf({ REDIS_URL: url, REDIS_CA_FILE: path }: Settings): Promise<ThrottlerQuotaStorage> {
  if (!url) return new MemoryQuotaStorage();
  // Only a process with Redis loads its client.
  const { RedisQuotaStorage } = await import('./redis-quota-storage.js');
  const redis = new RedisQuotaStorage(url, REPLY_TIMEOUT_MS, path && readFileSync(path, 'utf8'));
  return new FailoverQuotaStorage(redis, new MemoryQuotaStorage());
}
