import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import type { Settings } from '../config/settings.js';
import { DatabaseService } from './database.service.js';
import type { Engine } from './engine.js';

beforeAll(() => Logger.overrideLogger(false));

/** A fake, because a real server cannot be made to hang exactly while its connections are closed. */
const unresponsive = { close: () => new Promise<void>(() => undefined) } as Engine;

test('shutdown waits for an unresponsive server no longer than DATABASE_WAIT_MS', async () => {
  const database = new DatabaseService({} as DataSource, unresponsive, { DATABASE_WAIT_MS: 50 } as Settings);
  await expect(database.onApplicationShutdown()).resolves.toBeUndefined();
}, 5000);
