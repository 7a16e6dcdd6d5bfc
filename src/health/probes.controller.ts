import { Controller, Get } from '@nestjs/common';
import { HealthCheck, type HealthCheckResult, HealthCheckService } from '@nestjs/terminus';
import { ReadinessIndicator } from './readiness-indicator.js';

/** What Kubernetes asks, on the management port. */
@Controller()
export class ProbesController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly readiness: ReadinessIndicator,
  ) {}

  /** The process itself; never depends on anything else, or a slow database would restart every pod. */
  @Get('livez')
  @HealthCheck()
  live(): Promise<HealthCheckResult> {
    return this.health.check([]);
  }

  /** Whether requests should be sent here. */
  @Get('readyz')
  @HealthCheck()
  ready(): Promise<HealthCheckResult> {
    return this.health.check([() => this.readiness.database(), () => this.readiness.service()]);
  }
}
