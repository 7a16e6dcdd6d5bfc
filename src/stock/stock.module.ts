import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ScopeModule } from '../scope/scope.module.js';
import { DownloadModule } from '../download/download.module.js';
import { StockController } from './stock.controller.js';
import { StockEntry } from './stock-entry.entity.js';
import { StockService } from './stock.service.js';
import { Warehouse } from './warehouse.entity.js';

/** `GET /stock`. */
@Module({
  imports: [ScopeModule, DownloadModule, TypeOrmModule.forFeature([StockEntry, Warehouse])],
  controllers: [StockController],
  providers: [StockService],
})
export class StockModule {}
