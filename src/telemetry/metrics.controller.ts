import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { MetricsService } from './metrics.service.js';

/** The metrics for Prometheus, on the management port. */
@Controller()
export class MetricsController {
  constructor(private readonly metrics: MetricsService) {}

  @Get('metrics')
  async scrape(@Res() response: Response): Promise<void> {
    const { registry } = this.metrics;
    response.setHeader('Content-Type', registry.contentType);
    response.end(await registry.metrics());
  }
}
