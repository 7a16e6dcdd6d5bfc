import { type INestApplicationContext, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { existsSync } from 'node:fs';
import { AppModule } from '../app.module.js';
import { command } from '../config/command.js';
import type { Settings } from '../config/settings.js';
import { sqlitePath } from '../database/engine-factory.js';
import { DatabaseService } from '../database/database.service.js';
import { CommandFailed } from './command-failed.js';

/** The application for a command: it does not listen, and it connects to the database on first use. */
export class Session {
  private app?: INestApplicationContext;
  private found?: Settings;

  constructor(private readonly readSettings: () => Settings) {}

  /** @throws if they are invalid */
  get settings(): Settings {
    this.found ??= this.readSettings();
    return this.found;
  }

  /** Returns the database service, which has neither connected nor migrated yet. */
  async unmigrated(): Promise<DatabaseService> {
    // Nest would print the error through its logger, which commands turn off, and end the process.
    this.app ??= await NestFactory.createApplicationContext(AppModule.with(this.settings), { abortOnError: false });
    return this.app.get(DatabaseService);
  }

  /** Returns a service of the application once the database is ready. @throws if the database cannot be used */
  async get<T>(type: Type<T>): Promise<T> {
    const { DATABASE_URL, MIGRATE_ON_START } = this.settings;
    const path = sqlitePath(DATABASE_URL);
    // SQLite would create an empty database, and a wrong DATABASE_URL would look like an empty catalogue.
    if (path && !existsSync(path))
      throw new CommandFailed(
        `There is no database at ${path} (DATABASE_URL); to create one, run: ${command('migrate')}`,
      );
    await (await this.unmigrated()).connect(MIGRATE_ON_START);
    return this.app!.get(type);
  }

  async close(): Promise<void> {
    await this.app?.close();
  }
}
