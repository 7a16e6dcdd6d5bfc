import { Module } from '@nestjs/common';
import { hours, minutes, ThrottlerModule } from '@nestjs/throttler';
import { SETTINGS, type Settings } from '../config/settings.js';
import { FailoverQuotaStorage, PATIENCE_MS } from './failover-quota-storage.js';
import { MemoryQuotaStorage } from './memory-quota-storage.js';
import { QuotaMiddleware } from './quota.middleware.js';
import { QuotaService } from './quota.service.js';
import { RedisQuotaStorage } from './redis-quota-storage.js';

/** Quotas: which request is admitted. In Redis where `REDIS_URL` names one, else within this process. */
@Module({
  imports: [
    ThrottlerModule.forRootAsync({
      inject: [SETTINGS],
      useFactory: ({ REDIS_URL, REQUESTS_PER_MINUTE, REQUESTS_PER_HOUR }: Settings) => ({
        throttlers: [
          { name: '1m', ttl: minutes(1), limit: REQUESTS_PER_MINUTE },
          { name: '1h', ttl: hours(1), limit: REQUESTS_PER_HOUR },
        ],
        storage: REDIS_URL
          ? new FailoverQuotaStorage(new RedisQuotaStorage(REDIS_URL, PATIENCE_MS), new MemoryQuotaStorage())
          : new MemoryQuotaStorage(),
      }),
    }),
  ],
  providers: [QuotaMiddleware, QuotaService],
  exports: [QuotaMiddleware, QuotaService],
})
export class QuotaModule {}
