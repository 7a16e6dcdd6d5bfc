import { Module } from '@nestjs/common';
import { ScopeModule } from '../scope/scope.module.js';
import { DownloadSlots } from './download-slots.js';
import { DownloadService } from './download.service.js';

/** Sends answers of any length, each from one snapshot of the database. */
@Module({
  imports: [ScopeModule],
  providers: [DownloadService, DownloadSlots],
  exports: [DownloadService, DownloadSlots],
})
export class DownloadModule {}
