import { Controller, Get, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import type { CustomerScope } from '../scope/customer-scope.js';
import { CustomerScopeGuard, Scope } from '../scope/customer-scope.guard.js';
import { DownloadService } from '../download/download.service.js';
import { PricingService } from './pricing.service.js';

@Controller('prices')
@UseGuards(CustomerScopeGuard)
export class PricingController {
  constructor(
    private readonly downloads: DownloadService,
    private readonly pricing: PricingService,
  ) {}

  @Get()
  all(@Scope() scope: CustomerScope, @Res() response: Response): Promise<void> {
    return this.downloads.send(response, scope, this.pricing);
  }
}
