import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from './dialect.js';
import { createTable } from './schema-steps.js';

/** Adds the time of the last import into each table. The import log has it, but only a full read would find it. */
export class ImportedTables1764460800000 implements MigrationInterface {
  name = 'ImportedTables1764460800000';

  async up(queryRunner: QueryRunner): Promise<void> {
    const { timestamp } = await dialectOf(queryRunner);
    await createTable(
      queryRunner,
      'imported_tables',
      'TableName varchar(64) NOT NULL PRIMARY KEY',
      `ImportedAt ${timestamp} NOT NULL`,
    );
    const known = await queryRunner.query('SELECT TableName FROM imported_tables');
    const tables = new Set(known.map(({ TableName }: { TableName: string }) => TableName));
    for (const [table, time] of await latest(queryRunner))
      if (!tables.has(table))
        await queryRunner.query('INSERT INTO imported_tables (TableName, ImportedAt) VALUES (?, ?)', [table, time]);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE imported_tables');
  }
}

/** More than one week of imports every five minutes. */
const LATEST = 2500;

/** Returns the time of the last import into each table, from the import log. */
async function latest(queryRunner: QueryRunner): Promise<Map<string, unknown>> {
  const runs: { EndedAt: unknown; Tables: string | null }[] = await queryRunner.query(
    `SELECT EndedAt, Tables FROM import_runs WHERE Outcome = 'imported' ORDER BY StartedAt DESC LIMIT ${LATEST}`,
  );
  const times = new Map<string, unknown>();
  for (const { EndedAt, Tables } of runs.toReversed())
    for (const { table, file } of JSON.parse(Tables ?? '[]') as { table: string; file: string | null }[])
      if (file !== null) times.set(table, EndedAt);
  return times;
}
