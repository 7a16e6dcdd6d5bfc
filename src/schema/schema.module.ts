import { Module } from '@nestjs/common';
import { SchemaController } from './schema.controller.js';

/** The schema endpoints and `GET /api/version`. */
@Module({ controllers: [SchemaController] })
export class SchemaModule {}
