import { Module } from '@nestjs/common';
import { Drain } from './drain.js';
import { HealthController } from './health.controller.js';

/** `GET /health`, and the drain state that the probes report. */
@Module({ controllers: [HealthController], providers: [Drain], exports: [Drain] })
export class HealthModule {}
