import { Module } from '@nestjs/common';
import { DownloadModule } from '../download/download.module.js';
import { ImportModule } from '../import/import.module.js';
import { QuotaModule } from '../quota/quota.module.js';
import { MetricsService } from './metrics.service.js';
import { StateMetrics } from './state-metrics.js';

/** What the service tells of its work. */
@Module({
  imports: [DownloadModule, ImportModule, QuotaModule],
  providers: [MetricsService, StateMetrics],
  exports: [MetricsService],
})
export class TelemetryModule {}
