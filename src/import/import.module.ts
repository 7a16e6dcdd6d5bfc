import { Module } from '@nestjs/common';
import { ExportService } from './export.service.js';
import { ImportLogService } from './import-log.service.js';
import { ImportService } from './import.service.js';

/** Files in and out, and the record of what came in. */
@Module({
  providers: [ImportService, ImportLogService, ExportService],
  exports: [ImportService, ImportLogService, ExportService],
})
export class ImportModule {}
