import { Injectable } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { DatabaseService } from '../database/database.service.js';

/** Up while the database answers and its schema is current. */
@Injectable()
export class DatabaseHealthIndicator {
  constructor(
    private readonly database: DatabaseService,
    private readonly indicators: HealthIndicatorService,
  ) {}

  async check(): Promise<HealthIndicatorResult> {
    const indicator = this.indicators.check('database');
    return this.database.ping().then(
      () => indicator.up(),
      ({ message }: Error) => indicator.down(message),
    );
  }
}
