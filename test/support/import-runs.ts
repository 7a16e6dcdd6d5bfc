import type { TestDatabase } from './test-service.js';

/** One run as `import log --json` tells it. */
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

/** The latest imports, latest first. */
export async function latestRuns(database: TestDatabase, count: number): Promise<LoggedRun[]> {
  return JSON.parse(await database.cliOk('import', 'log', '--json', '--last', `${count}`)) as LoggedRun[];
}
