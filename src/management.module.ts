import { type DynamicModule, Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { DatabaseService } from './database/database.service.js';
import { Drain } from './health/drain.js';
import { ProbesController } from './health/probes.controller.js';
import { ReadinessIndicator } from './health/readiness-indicator.js';
import { OpenApiController } from './openapi/openapi.controller.js';
import { MetricsController } from './telemetry/metrics.controller.js';
import { MetricsService } from './telemetry/metrics.service.js';

/**
 * The application on the management port: probes and metrics of the public application, and the description of its
 * interface. It uses the services of the public application.
 */
@Module({})
export class ManagementModule {
  static of(database: DatabaseService, drain: Drain, metrics: MetricsService): DynamicModule {
    return {
      module: ManagementModule,
      imports: [TerminusModule.forRoot({ logger: false })],
      controllers: [ProbesController, MetricsController, OpenApiController],
      providers: [
        ReadinessIndicator,
        { provide: DatabaseService, useValue: database },
        { provide: Drain, useValue: drain },
        { provide: MetricsService, useValue: metrics },
      ],
    };
  }
}
