import { engine, type TestDatabase } from './test-service.js';

const embedded = engine === 'sqlite';

export interface Column {
  name: string;
  type: string;
  required: boolean;
  /** Whether a row may be inserted without the column. */
  optional: boolean;
}

/** The service's tables, by name. */
export async function tablesOf(database: TestDatabase): Promise<string[]> {
  const rows = await database.sql(
    embedded
      ? `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'`
      : 'SELECT TABLE_NAME AS name FROM information_schema.tables WHERE TABLE_SCHEMA = DATABASE()',
  );
  return rows
    .map(({ name }) => String(name))
    .filter((name) => name !== 'migrations')
    .toSorted();
}

/** The columns of a table, by name. */
export async function tableColumns(database: TestDatabase, table: string): Promise<Column[]> {
  const rows = await database.sql(
    embedded
      ? 'SELECT name, type, "notnull" AS required, dflt_value IS NOT NULL AS filled FROM pragma_table_info(?)'
      : `SELECT COLUMN_NAME AS name, COLUMN_TYPE AS type, IS_NULLABLE = 'NO' AS required,
           COLUMN_DEFAULT IS NOT NULL OR EXTRA LIKE '%auto_increment%' AS filled
         FROM information_schema.columns WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ?`,
    [table],
  );
  return rows
    .map(({ name, type, required, filled }) => ({
      name: String(name),
      // SQLite returns some types in upper case. MariaDB adds a display width that has no effect.
      type: String(type)
        .toLowerCase()
        .replace(/^int\(\d+\)$/, 'int'),
      required: Number(required) === 1,
      optional: Number(required) === 0 || Number(filled) === 1,
    }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** The constraints of a table: unique keys and references. */
export async function tableRules(database: TestDatabase, table: string): Promise<string[]> {
  const rows = await database.sql(
    embedded
      ? `SELECT 'unique (' || (SELECT group_concat(name) FROM pragma_index_info(list.name)) || ')' AS rule
         FROM pragma_index_list(?) AS list WHERE "unique" = 1
         UNION SELECT 'reference ' || "from" || ' to ' || "table" FROM pragma_foreign_key_list(?)`
      : `SELECT CONCAT('unique (', GROUP_CONCAT(COLUMN_NAME ORDER BY SEQ_IN_INDEX), ')') AS rule
         FROM information_schema.statistics WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ? AND NON_UNIQUE = 0
         GROUP BY INDEX_NAME
         UNION SELECT CONCAT('reference ', COLUMN_NAME, ' to ', REFERENCED_TABLE_NAME)
         FROM information_schema.key_column_usage
         WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ? AND REFERENCED_TABLE_NAME IS NOT NULL`,
    [table, table],
  );
  return rows.map(({ rule }) => String(rule));
}

/** The statements that create the schema, table by table, then the triggers of a server. */
export async function schemaText(database: TestDatabase): Promise<string> {
  const statements: string[] = [];
  for (const table of await tablesOf(database)) {
    const rows = await database.sql(
      embedded
        ? `SELECT sql FROM sqlite_master WHERE tbl_name = '${table}' AND sql IS NOT NULL ORDER BY type DESC, name`
        : `SHOW CREATE TABLE ${table}`,
    );
    statements.push(...rows.map((row) => String(row.sql ?? row['Create Table']).replace(/ AUTO_INCREMENT=\d+/, '')));
  }
  return [...statements, ...(await serverTriggers(database))].map((statement) => `${statement};\n`).join('\n');
}

/** A server does not return triggers with their tables. */
async function serverTriggers(database: TestDatabase): Promise<string[]> {
  if (embedded) return [];
  const rows = await database.sql(
    `SELECT CONCAT('CREATE TRIGGER ', TRIGGER_NAME, ' ', ACTION_TIMING, ' ', EVENT_MANIPULATION, ' ON ',
       EVENT_OBJECT_TABLE, ' FOR EACH ROW\n', ACTION_STATEMENT) AS text
     FROM information_schema.triggers WHERE TRIGGER_SCHEMA = DATABASE() ORDER BY EVENT_OBJECT_TABLE, TRIGGER_NAME`,
  );
  return rows.map(({ text }) => String(text));
}
