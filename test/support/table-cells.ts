import { COLUMNS, type ImportFileName } from './import-files.js';
import type { ReadRows } from './expected-responses.js';
import type { TestDatabase } from './test-service.js';

/** Reads the tables as the cells of the import files that would create them. */
export async function tableCells(database: TestDatabase): Promise<ReadRows> {
  const files = Object.keys(COLUMNS) as ImportFileName[];
  const tables = await Promise.all(files.map((file) => database.sql(`SELECT * FROM ${file.slice(0, -'.csv'.length)}`)));
  const cells = new Map(files.map((file, index) => [file, tables[index]!.map(textsOf)]));
  return (file) => cells.get(file)!;
}

function textsOf(row: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, textOf(value)]));
}

function textOf(value: unknown): string {
  if (value === null) return '';
  // A date, at midnight in the time zone of this process.
  return value instanceof Date ? value.toLocaleDateString('sv') : String(value);
}
