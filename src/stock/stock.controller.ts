import { Controller, Get, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import type { CustomerScope } from '../customers/customer-scope.js';
import { CustomerScopeGuard, Scope } from '../customers/customer-scope.guard.js';
import { DownloadService } from '../download/download.service.js';
import { StockService } from './stock.service.js';

@Controller('stock')
@UseGuards(CustomerScopeGuard)
export class StockController {
  constructor(
    private readonly downloads: DownloadService,
    private readonly entries: StockService,
  ) {}

  @Get()
  stock(@Scope() scope: CustomerScope, @Res() response: Response): Promise<void> {
    return this.downloads.send(response, scope, (snapshot, current) => this.entries.stock(snapshot, current));
  }
}
