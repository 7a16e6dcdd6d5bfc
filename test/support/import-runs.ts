import type { TestDatabase } from './test-service.js';

/** A run in the output of `import log --json`. */
export interface LoggedRun {
  ID: string;
  StartedAt: string;
  EndedAt: string | null;
  StartedBy: string;
  Mode: string;
  Outcome: string | null;
  Message: string | null;
  Files: { name: string; sha256: string | null; bytes: number }[] | null;
  Tables: Record<string, unknown>[] | null;
  PriceChanges: Record<string, unknown> | null;
}

/** Returns the latest imports, the latest first. */
export async function latestRuns(database: TestDatabase, count: number): Promise<LoggedRun[]> {
  return JSON.parse(await database.cliOk('import', 'log', '--json', '--last', `${count}`)) as LoggedRun[];
}
