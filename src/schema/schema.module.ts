import { Module } from '@nestjs/common';
import { VersionController } from './version.controller.js';

/** `GET /api/version`. */
@Module({ controllers: [VersionController] })
export class SchemaModule {}
