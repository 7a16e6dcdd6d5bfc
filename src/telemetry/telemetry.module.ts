import { Module } from '@nestjs/common';
import { DownloadModule } from '../download/download.module.js';
import { QuotaModule } from '../quota/quota.module.js';
import { MetricsService } from './metrics.service.js';

/** What the service tells of its work. */
@Module({ imports: [DownloadModule, QuotaModule], providers: [MetricsService], exports: [MetricsService] })
export class TelemetryModule {}
