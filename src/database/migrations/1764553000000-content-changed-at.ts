import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createTrigger } from './content-triggers.js';
import { dialectOf, isOnServer } from './dialect.js';
import { addColumn } from './schema-steps.js';

/**
 * Adds the time of the latest change to each content part. Triggers set it whenever a part gets another version,
 * whether another trigger, an import, or an import of the previous release changes the version. Existing parts count as
 * changed now, because the time of their latest change is unknown.
 */
export class ContentChangedAt1764553000000 implements MigrationInterface {
  name = 'ContentChangedAt1764553000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    const { timestamp } = await dialectOf(queryRunner);
    const { now, triggers } = sqlOf(queryRunner);
    await addColumn(queryRunner, 'content_versions', 'ChangedAt', timestamp);
    for (const [name, sql] of Object.entries(triggers))
      await createTrigger(queryRunner, name, `CREATE TRIGGER IF NOT EXISTS ${name} ${sql}`);
    await queryRunner.query(`UPDATE content_versions SET ChangedAt = ${now} WHERE ChangedAt IS NULL`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const name of Object.keys(sqlOf(queryRunner).triggers))
      await queryRunner.query(`DROP TRIGGER IF EXISTS ${name}`);
    await queryRunner.query('ALTER TABLE content_versions DROP COLUMN ChangedAt');
  }
}

const sqlOf = (queryRunner: QueryRunner) => (isOnServer(queryRunner) ? ON_SERVER : EMBEDDED);

const UTC_NOW = 'UTC_TIMESTAMP(3)';

const ON_SERVER = {
  now: UTC_NOW,
  triggers: {
    content_versions_insert: `BEFORE INSERT ON content_versions FOR EACH ROW SET NEW.ChangedAt = ${UTC_NOW}`,
    content_versions_update: `BEFORE UPDATE ON content_versions FOR EACH ROW
SET NEW.ChangedAt = IF(NEW.Version = OLD.Version, NEW.ChangedAt, ${UTC_NOW})`,
  },
};

const SQLITE_NOW = `strftime('%Y-%m-%d %H:%M:%f', 'now')`;
const SET_ON_SQLITE = `BEGIN
UPDATE content_versions SET ChangedAt = ${SQLITE_NOW} WHERE Part = NEW.Part AND Code = NEW.Code; END`;

const EMBEDDED = {
  now: SQLITE_NOW,
  triggers: {
    content_versions_insert: `AFTER INSERT ON content_versions FOR EACH ROW ${SET_ON_SQLITE}`,
    content_versions_update: `AFTER UPDATE OF Version ON content_versions FOR EACH ROW
WHEN NEW.Version <> OLD.Version ${SET_ON_SQLITE}`,
  },
};
