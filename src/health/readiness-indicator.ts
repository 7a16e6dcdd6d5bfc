import { Injectable } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { DatabaseService } from '../database/database.service.js';
import { Drain } from './drain.js';

/** What has to be up for requests to be sent here. */
@Injectable()
export class ReadinessIndicator {
  constructor(
    private readonly databaseService: DatabaseService,
    private readonly drain: Drain,
    private readonly indicators: HealthIndicatorService,
  ) {}

  /** Up while the database answers and its schema is current. */
  database(): Promise<HealthIndicatorResult> {
    return this.check('database', this.databaseService.ping());
  }

  /** Up until the service is told to end. */
  service(): Promise<HealthIndicatorResult> {
    return this.check('service', this.drain.assertNotBegun());
  }

  private check(name: string, whole: Promise<void>): Promise<HealthIndicatorResult> {
    const indicator = this.indicators.check(name);
    return whole.then(
      () => indicator.up(),
      ({ message }: Error) => indicator.down(message),
    );
  }
}
