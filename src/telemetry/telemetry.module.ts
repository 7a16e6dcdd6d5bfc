import { Module } from '@nestjs/common';
import { CheckModule } from '../check/check.module.js';
import { DownloadModule } from '../download/download.module.js';
import { ImportModule } from '../import/import.module.js';
import { QuotaModule } from '../quota/quota.module.js';
import { AnswersMiddleware } from './answers.middleware.js';
import { MetricsService } from './metrics.service.js';
import { RequestLog } from './request-log.js';
import { StateMetrics } from './state-metrics.js';

/** What the service tells of its work. */
@Module({
  imports: [CheckModule, DownloadModule, ImportModule, QuotaModule],
  providers: [AnswersMiddleware, MetricsService, RequestLog, StateMetrics],
  exports: [AnswersMiddleware, MetricsService],
})
export class TelemetryModule {}
