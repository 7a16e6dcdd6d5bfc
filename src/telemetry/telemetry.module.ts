import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { CatalogModule } from '../catalog/catalog.module.js';
import { CheckModule } from '../check/check.module.js';
import { DownloadModule } from '../download/download.module.js';
import { ImportModule } from '../import/import.module.js';
import { QuotaModule } from '../quota/quota.module.js';
import { ResponsesMiddleware } from './responses.middleware.js';
import { MetricsService } from './metrics.service.js';
import { RequestLog } from './request-log.js';
import { StateMetrics } from './state-metrics.js';

/** The request log and the metrics. */
@Module({
  imports: [AuthModule, CatalogModule, CheckModule, DownloadModule, ImportModule, QuotaModule],
  providers: [ResponsesMiddleware, MetricsService, RequestLog, StateMetrics],
  exports: [ResponsesMiddleware, MetricsService],
})
export class TelemetryModule {}
