import { Module } from '@nestjs/common';
import { ExportService } from './export.service.js';
import { ImportService } from './import.service.js';

/** Files in and out. */
@Module({ providers: [ImportService, ExportService], exports: [ImportService, ExportService] })
export class ImportModule {}
