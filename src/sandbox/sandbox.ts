import type { LoggerService, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppModule } from '../app.module.js';
import { ApiKeysService } from '../auth/api-keys.service.js';
import type { Settings } from '../config/settings.js';
import { CustomersService } from '../customers/customers.service.js';
import { DatabaseService } from '../database/database.service.js';
import { DEMO_CUSTOMER } from '../demo/demo.service.js';
import { DEMO_FOLDER } from '../demo-folder.js';
import { ImportService } from '../import/import.service.js';
import { PUBLISHED_KEY, sandboxCustomers } from './customers.js';
import { SandboxModule } from './sandbox.module.js';

/** A sandbox with its filled database, which no other process uses. */
interface Sandbox {
  /** The given settings, with the database of the sandbox. */
  readonly settings: Settings;
  readonly modules: readonly Type[];
  /** Deletes the database. */
  remove(): void;
}

/** How many responses each customer may have in flight. Together, the bodies of this many fit into memory. */
const DOWNLOADS = 100;

/** Creates a database with the demo data. It is deleted when the process ends. */
export async function openSandbox(given: Settings, logger: LoggerService): Promise<Sandbox> {
  const folder = mkdtempSync(join(tmpdir(), `customer-data-sandbox-${process.pid}-`));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  const settings = {
    ...given,
    DATABASE_URL: `sqlite:${join(folder, 'sandbox.db')}`,
    // The service loads demo data with a random key. The sandbox loads it with the published one.
    DEMO_DATA: false,
    // All integrators use the same customers, and SANDBOX-SLOW takes minutes for each response.
    DOWNLOADS_PER_CUSTOMER: DOWNLOADS,
    JWT_SECRET: [randomBytes(32).toString('base64url')],
  };
  await fill(settings, logger);
  logger.log('This is a sandbox: docs/integration/testing.md has its customers and their published key', 'Sandbox');
  return {
    settings: Object.freeze(settings),
    modules: [SandboxModule],
    remove: () => {
      process.off('exit', remove);
      remove();
    },
  };
}

/** Loads the demo data, and adds the customers with one outcome and the published key. */
async function fill(settings: Settings, logger: LoggerService): Promise<void> {
  const app = await NestFactory.createApplicationContext(AppModule.with(settings), { logger });
  try {
    await app.get(DatabaseService).connect(true);
    await app.get(ImportService).run({ paths: [DEMO_FOLDER] });
    const [customers, keys] = [app.get(CustomersService), app.get(ApiKeysService)];
    const { PriceListCode, WarehouseCode, DiscountPercentage } = (await customers.find(DEMO_CUSTOMER))!;
    const publish = (CustomerCode: string) =>
      keys.issue({ CustomerCode, Label: 'published', ExpiresAt: null }, PUBLISHED_KEY);
    await publish(DEMO_CUSTOMER);
    for (const [code, { limits }] of sandboxCustomers(settings)) {
      await customers.set(code, { PriceListCode, WarehouseCode, DiscountPercentage, ...limits });
      await publish(code);
    }
  } finally {
    await app.close();
  }
}
