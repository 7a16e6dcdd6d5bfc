import { Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';

/** `GET /health`. */
@Module({ controllers: [HealthController] })
export class HealthModule {}
