import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import type { Settings } from '../config/settings.js';
import { DatabaseService } from './database.service.js';
import type { Engine } from './engine.js';

beforeAll(() => Logger.overrideLogger(false));

/** A server that does not respond while its connections are closed. No server can be made to do that at a given moment. */
const silent = { close: () => new Promise<void>(() => undefined) } as Engine;

test('a server that does not respond keeps the process no longer than the wait setting', async () => {
  const database = new DatabaseService({} as DataSource, silent, { DATABASE_WAIT_MS: 50 } as Settings);
  await expect(database.onApplicationShutdown()).resolves.toBeUndefined();
}, 5000);
