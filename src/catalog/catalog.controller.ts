import { Controller, Get, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import type { CustomerScope } from '../scope/customer-scope.js';
import { CustomerScopeGuard, Scope } from '../scope/customer-scope.guard.js';
import { DownloadService } from '../download/download.service.js';
import { CatalogService } from './catalog.service.js';

@Controller('products')
@UseGuards(CustomerScopeGuard)
export class CatalogController {
  constructor(
    private readonly downloads: DownloadService,
    private readonly catalog: CatalogService,
  ) {}

  @Get()
  all(@Scope() scope: CustomerScope, @Res() response: Response): Promise<void> {
    return this.downloads.send(response, scope, this.catalog);
  }
}
