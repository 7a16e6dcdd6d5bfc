import { type INestApplicationContext, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { existsSync } from 'node:fs';
import { AppModule } from '../app.module.js';
import { command } from '../config/command.js';
import type { Settings } from '../config/settings.js';
import { sqlitePath } from '../database/engine-factory.js';
import { DatabaseService } from '../database/database.service.js';
import { CommandFailed } from './command-failed.js';

/** The application inside a command: it does not listen on a port, and connects to the database on first use. */
export class Session {
  private app?: INestApplicationContext;

  constructor(readonly settings: () => Settings) {}

  /** The database service, without connecting or migrating. */
  async unmigrated(): Promise<DatabaseService> {
    this.app ??= await NestFactory.createApplicationContext(AppModule.with(this.settings()));
    return this.app.get(DatabaseService);
  }

  /** A service of the application, once the database is ready. @throws if the database is not ready. */
  async get<T>(type: Type<T>): Promise<T> {
    const { DATABASE_URL, MIGRATE_ON_START } = this.settings();
    const path = sqlitePath(DATABASE_URL);
    // Otherwise SQLite would create an empty database, and a wrong DATABASE_URL would look like an empty catalogue.
    if (path && !existsSync(path))
      throw new CommandFailed(`There is no database at ${path} (DATABASE_URL); to make one run: ${command('migrate')}`);
    await (await this.unmigrated()).connect(MIGRATE_ON_START);
    return this.app!.get(type);
  }

  async close(): Promise<void> {
    await this.app?.close();
  }
}
