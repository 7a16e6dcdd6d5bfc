import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CatalogModule } from '../catalog/catalog.module.js';
import { ScopeModule } from '../scope/scope.module.js';
import { ExportService } from './export.service.js';
import { ImportLogService } from './import-log.service.js';
import { ImportRun } from './import-run.entity.js';
import { ImportService } from './import.service.js';

/** Imports and exports of files, and the record of imports. */
@Module({
  imports: [CatalogModule, ScopeModule, TypeOrmModule.forFeature([ImportRun])],
  providers: [ImportService, ImportLogService, ExportService],
  exports: [ImportService, ImportLogService, ExportService],
})
export class ImportModule {}
