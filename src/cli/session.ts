import { type INestApplicationContext, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../app.module.js';
import type { Settings } from '../config/settings.js';
import { DatabaseService } from '../database/database.service.js';

/** The application as a command uses it: without a listener, connected on first use. */
export class Session {
  private app?: INestApplicationContext;

  constructor(readonly settings: () => Settings) {}

  /** The database as it is, not yet reached. */
  async unmigrated(): Promise<DatabaseService> {
    this.app ??= await NestFactory.createApplicationContext(AppModule.with(this.settings()));
    return this.app.get(DatabaseService);
  }

  /** A service of the application, with the database ready. @throws if it is not. */
  async get<T>(type: Type<T>): Promise<T> {
    await (await this.unmigrated()).connect(this.settings().MIGRATE_ON_START);
    return this.app!.get(type);
  }

  async close(): Promise<void> {
    await this.app?.close();
  }
}
