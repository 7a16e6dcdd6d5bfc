import { Controller, Get, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import type { CustomerScope } from '../customers/customer-scope.js';
import { CustomerScopeGuard, Scope } from '../customers/customer-scope.guard.js';
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
  products(@Scope() scope: CustomerScope, @Res() response: Response): Promise<void> {
    return this.downloads.send(response, scope, (snapshot, current) => this.catalog.products(snapshot, current));
  }
}
