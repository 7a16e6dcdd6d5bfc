import { Module } from '@nestjs/common';
import { ScopeModule } from '../scope/scope.module.js';
import { DownloadSlots } from './download-slots.js';
import { DownloadService } from './download.service.js';
import { ResponseCache } from './response-cache.js';
import { SpoolSpace } from './spool-space.js';

/** Sends responses of any length, each from one snapshot of the database. */
@Module({
  imports: [ScopeModule],
  providers: [DownloadService, DownloadSlots, ResponseCache, SpoolSpace],
  exports: [DownloadService, DownloadSlots, ResponseCache, SpoolSpace],
})
export class DownloadModule {}
