import { Inject, Injectable, Logger } from '@nestjs/common';
import { ApiKeysService } from '../auth/api-keys.service.js';
import { command } from '../config/command.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { DatabaseService } from '../database/database.service.js';
import { sqlitePath } from '../database/engine-factory.js';
import { DEMO_FOLDER } from '../demo-folder.js';
import { NotEmpty } from '../import/import-load.js';
import { ImportService } from '../import/import.service.js';

/** The customer that a first start prints a key for. */
export const DEMO_CUSTOMER = 'DEMO-SHOP';

/** Credentials of the demo customer. */
export interface DemoCredentials {
  customerCode: string;
  apiKey: string;
}

/** Imports the files in `demo/` into an empty embedded database, so that the first run has data to return. */
@Injectable()
export class DemoService {
  private readonly logger = new Logger(DemoService.name);

  constructor(
    private readonly database: DatabaseService,
    private readonly imports: ImportService,
    private readonly keys: ApiKeysService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Loads the demo if its settings allow it. @returns its credentials; undefined if nothing was loaded */
  async loadIntoEmpty(): Promise<DemoCredentials | undefined> {
    const { DATABASE_URL, DEMO_DATA, NODE_ENV } = this.settings;
    if (!DEMO_DATA || NODE_ENV === 'production' || !sqlitePath(DATABASE_URL)) return undefined;
    try {
      if (!(await this.isEmpty())) return void (await this.logDemoCustomer());
      // `onlyIfEmpty`, because another import can fill the database before this one gets the lock.
      await this.imports.run({ paths: [DEMO_FOLDER], onlyIfEmpty: true });
      const { key } = await this.keys.issue({ CustomerCode: DEMO_CUSTOMER, Label: 'demo', ExpiresAt: null });
      return { customerCode: DEMO_CUSTOMER, apiKey: key };
    } catch (error) {
      if (error instanceof NotEmpty) return undefined;
      this.logger.warn(`The demo data could not be loaded: ${(error as Error).message}`);
      return undefined;
    }
  }

  /** Logs how to get a new key, because the key from the first start is stored nowhere in clear text. */
  private async logDemoCustomer(): Promise<void> {
    const found = await this.database.query('SELECT 1 FROM customers WHERE CustomerCode = ?', [DEMO_CUSTOMER]);
    if (found.length) this.logger.log(`Demo customer ${DEMO_CUSTOMER}; for a new key: ${command(`key issue ${DEMO_CUSTOMER}`)}`);
  }

  private async isEmpty(): Promise<boolean> {
    const [row] = await this.database.query(
      'SELECT (SELECT COUNT(*) FROM products) + (SELECT COUNT(*) FROM customers) AS n',
    );
    return Number(row?.n) === 0;
  }
}
