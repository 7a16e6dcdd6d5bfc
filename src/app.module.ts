import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { ConfigModule, registerAs } from '@nestjs/config';
import { APP_FILTER } from '@nestjs/core';
import { AuditModule } from './audit/audit.module.js';
import { AuthModule } from './auth/auth.module.js';
import type { Settings } from './config/settings.js';
import { CustomersModule } from './customers/customers.module.js';
import { DatabaseModule } from './database/database.module.js';
import { DemoModule } from './demo/demo.module.js';
import { DATA_MODULES } from './endpoints/data-endpoints.js';
import { HealthModule } from './health/health.module.js';
import { ApiErrorFilter } from './http/api-error.filter.js';
import { ImportModule } from './import/import.module.js';
import { QuotaModule } from './quota/quota.module.js';
import { SchemaModule } from './schema/schema.module.js';
import { TelemetryModule } from './telemetry/telemetry.module.js';
import { UsageModule } from './usage/usage.module.js';

/** The public application: the endpoints of the interface and nothing else. */
@Module({
  imports: [
    DatabaseModule,
    AuditModule,
    CustomersModule,
    AuthModule,
    QuotaModule,
    ...DATA_MODULES,
    SchemaModule,
    UsageModule,
    HealthModule,
    ImportModule,
    DemoModule,
    TelemetryModule,
  ],
  providers: [{ provide: APP_FILTER, useClass: ApiErrorFilter }],
})
export class AppModule {
  /** @param further modules besides those of the interface */
  static with(settings: Settings, further: readonly Type[] = []): DynamicModule {
    const config = registerAs('settings', () => settings);
    return {
      module: AppModule,
      imports: [
        ConfigModule.forRoot({ isGlobal: true, ignoreEnvFile: true, skipProcessEnv: true, load: [config] }),
        ...further,
      ],
    };
  }
}
