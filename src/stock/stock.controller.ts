import { Controller, Get, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import type { CustomerScope } from '../scope/customer-scope.js';
import { CustomerScopeGuard, Scope } from '../scope/customer-scope.guard.js';
import { DownloadService } from '../download/download.service.js';
import { StockService } from './stock.service.js';

@Controller('stock')
@UseGuards(CustomerScopeGuard)
export class StockController {
  constructor(
    private readonly downloads: DownloadService,
    private readonly stock: StockService,
  ) {}

  @Get()
  all(@Scope() scope: CustomerScope, @Res() response: Response): Promise<void> {
    return this.downloads.send(response, scope, this.stock);
  }
}
