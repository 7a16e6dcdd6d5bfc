import { Module } from '@nestjs/common';
import { SchemaController } from './schema.controller.js';

/** `GET /products/schema`, `GET /stock/schema` and `GET /api/version`. */
@Module({ controllers: [SchemaController] })
export class SchemaModule {}
