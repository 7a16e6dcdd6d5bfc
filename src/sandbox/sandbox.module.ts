import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { SandboxGuard } from './sandbox.guard.js';

/** Makes the service a sandbox. Only a service with `SANDBOX=true` loads this folder. */
@Module({ providers: [{ provide: APP_GUARD, useClass: SandboxGuard }] })
export class SandboxModule {}
