import { Controller, Get, Header, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Public } from '../auth/public.decorator.js';
import { DatabaseService } from '../database/database.service.js';

/** The public, metered health endpoint. Kubernetes uses the probes on the management port instead. */
@Controller('health')
export class HealthController {
  constructor(private readonly database: DatabaseService) {}

  @Public()
  @Get()
  @Header('Cache-Control', 'no-store')
  async health(@Res() response: Response): Promise<void> {
    const healthy = await this.database.ping().then(
      () => true,
      () => false,
    );
    // Sets the headers without Express, which would add a charset to the type that the interface defines.
    response.statusCode = healthy ? 200 : 503;
    response.setHeader('Content-Type', 'text/plain');
    response.end(healthy ? 'Healthy' : 'Unhealthy');
  }
}
