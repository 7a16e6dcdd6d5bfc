import { type INestApplicationContext, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { existsSync } from 'node:fs';
import { AppModule } from '../app.module.js';
import { command } from '../config/command.js';
import type { Settings } from '../config/settings.js';
import { sqlitePath } from '../database/engine-factory.js';
import { DatabaseService } from '../database/database.service.js';
import { CommandFailed } from './command-failed.js';

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
    const { DATABASE_URL, MIGRATE_ON_START } = this.settings();
    const path = sqlitePath(DATABASE_URL);
    // SQLite would make an empty one, and a wrong DATABASE_URL would pass for an empty catalogue.
    if (path && !existsSync(path))
      throw new CommandFailed(`There is no database at ${path} (DATABASE_URL); to make one run: ${command('migrate')}`);
    await (await this.unmigrated()).connect(MIGRATE_ON_START);
    return this.app!.get(type);
  }

  async close(): Promise<void> {
    await this.app?.close();
  }
}
