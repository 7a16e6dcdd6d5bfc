import { Inject, Injectable, Logger } from '@nestjs/common';
import { join } from 'node:path';
import { ApiKeysService } from '../auth/api-keys.service.js';
import { command } from '../config/command.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { DatabaseService } from '../database/database.service.js';
import { sqlitePath } from '../database/engine-factory.js';
import { NotEmpty } from '../import/import-load.js';
import { ImportService } from '../import/import.service.js';

const FOLDER = join(import.meta.dirname, '../../demo');
const CUSTOMER = 'DEMO-SHOP';

/** Credentials of a demo customer, for the first calls. */
export interface DemoCredentials {
  customerCode: string;
  apiKey: string;
}

/** Fills an empty embedded database with the files in `demo/`, so that a first run has something to show. */
@Injectable()
export class DemoService {
  private readonly logger = new Logger(DemoService.name);

  constructor(
    private readonly database: DatabaseService,
    private readonly imports: ImportService,
    private readonly keys: ApiKeysService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @returns credentials where the demo was loaded now; undefined where it has no place, or is loaded already. */
  async loadIntoEmpty(): Promise<DemoCredentials | undefined> {
    const { DATABASE_URL, DEMO_DATA, NODE_ENV } = this.settings;
    if (!DEMO_DATA || NODE_ENV === 'production' || !sqlitePath(DATABASE_URL)) return undefined;
    try {
      if (!(await this.isEmpty())) return void (await this.remind());
      // An import may be at work, and done before this one is let in.
      await this.imports.run({ paths: [FOLDER], onlyIfEmpty: true });
      return { customerCode: CUSTOMER, apiKey: await this.keys.issue(CUSTOMER, 'demo', null) };
    } catch (error) {
      if (error instanceof NotEmpty) return undefined;
      this.logger.warn(`The demo data could not be loaded: ${(error as Error).message}`);
      return undefined;
    }
  }

  /** On a later start the key is known to nobody here any more. */
  private async remind(): Promise<void> {
    const found = await this.database.query('SELECT 1 FROM customers WHERE CustomerCode = ?', [CUSTOMER]);
    if (found.length) this.logger.log(`Demo customer ${CUSTOMER}; for a new key: ${command(`key issue ${CUSTOMER}`)}`);
  }

  private async isEmpty(): Promise<boolean> {
    const [row] = await this.database.query(
      'SELECT (SELECT COUNT(*) FROM products) + (SELECT COUNT(*) FROM customers) AS n',
    );
    return Number(row?.n) === 0;
  }
}
