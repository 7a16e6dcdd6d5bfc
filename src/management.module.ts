import { type DynamicModule, Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { DatabaseService } from './database/database.service.js';
import { DatabaseHealthIndicator } from './health/database.health-indicator.js';
import { ProbesController } from './health/probes.controller.js';

/** The application on the management port: probes of the public application, whose services it is given. */
@Module({})
export class ManagementModule {
  static of(database: DatabaseService): DynamicModule {
    return {
      module: ManagementModule,
      imports: [TerminusModule.forRoot({ logger: false })],
      controllers: [ProbesController],
      providers: [DatabaseHealthIndicator, { provide: DatabaseService, useValue: database }],
    };
  }
}
