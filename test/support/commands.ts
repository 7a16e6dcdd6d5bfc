import { RunningCommand } from './running-command.js';
import type { CommandResult, TestDatabase } from './test-service.js';

/** Runs the built CLI on a database in a separate process, as operators do. */
export function cliProcess(database: TestDatabase, ...args: string[]): Promise<CommandResult> {
  return RunningCommand.start(database.url, args).ended;
}

/** Runs the built CLI with the given standard input and additional environment variables. */
export function cliProcessReading(
  stdin: string,
  environment: Record<string, string>,
  database: TestDatabase,
  ...args: string[]
): Promise<CommandResult> {
  const command = RunningCommand.start(database.url, args, { environment });
  command.feed(stdin);
  return command.ended;
}

/** Returns the error output of a failing command, which must exit with 1 and print nothing on stdout. */
export async function problem(running: Promise<CommandResult>): Promise<string> {
  const { code, stdout, stderr } = await running;
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  return stderr;
}

/** The cells of a printed table, line by line, headers first. */
export function cells(table: string): string[][] {
  return table.split('\n').map((line) => line.split(/ {2,}/));
}
