import 'reflect-metadata';
import { DataSource } from 'typeorm';
import { ApiKey } from './src/auth/api-key.entity.js';
import { readSettings } from './src/config/settings.js';
import { engineOf } from './src/database/engine-factory.js';
import { ImportRun } from './src/import/import-run.entity.js';
import { IMPORT_TABLES } from './src/import/import-tables.js';

/** The data source of TypeORM's own command line (`npm run typeorm -- migration:show`); the service does not use it. */
export default new DataSource({
  ...engineOf(readSettings(undefined, { signing: false })).options,
  entities: [ApiKey, ImportRun, ...IMPORT_TABLES.map(({ entity }) => entity)],
});
