import { Module } from '@nestjs/common';
import { ScopeModule } from '../scope/scope.module.js';
import { UsageController } from './usage.controller.js';

/** `GET /api/usage`. */
@Module({ imports: [ScopeModule], controllers: [UsageController] })
export class UsageModule {}
