import { Module } from '@nestjs/common';
import { Drain } from './drain.js';
import { HealthController } from './health.controller.js';

/** `GET /health`, and the state that the probes tell of. */
@Module({ controllers: [HealthController], providers: [Drain], exports: [Drain] })
export class HealthModule {}
