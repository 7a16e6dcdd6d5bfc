import { type DynamicModule, Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { DatabaseService } from './database/database.service.js';
import { Drain } from './health/drain.js';
import { ProbesController } from './health/probes.controller.js';
import { ReadinessIndicator } from './health/readiness-indicator.js';

/** The application on the management port: probes of the public application, whose services it is given. */
@Module({})
export class ManagementModule {
  static of(database: DatabaseService, drain: Drain): DynamicModule {
    return {
      module: ManagementModule,
      imports: [TerminusModule.forRoot({ logger: false })],
      controllers: [ProbesController],
      providers: [
        ReadinessIndicator,
        { provide: DatabaseService, useValue: database },
        { provide: Drain, useValue: drain },
      ],
    };
  }
}
