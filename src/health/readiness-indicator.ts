import { Injectable } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { DatabaseService } from '../database/database.service.js';
import { Drain } from './drain.js';

/** Indicates whether this replica should receive requests. */
@Injectable()
export class ReadinessIndicator {
  constructor(
    private readonly databaseService: DatabaseService,
    private readonly drain: Drain,
    private readonly indicators: HealthIndicatorService,
  ) {}

  /** Up while the database responds and its schema is current. */
  database(): Promise<HealthIndicatorResult> {
    return this.check('database', this.databaseService.ping());
  }

  /** Up until the service begins to shut down. */
  service(): Promise<HealthIndicatorResult> {
    return this.check('service', this.drain.assertNotDraining());
  }

  private check(name: string, probe: Promise<void>): Promise<HealthIndicatorResult> {
    const indicator = this.indicators.check(name);
    return probe.then(
      () => indicator.up(),
      ({ message }: Error) => indicator.down(message),
    );
  }
}
