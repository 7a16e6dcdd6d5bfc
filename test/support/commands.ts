import { RunningCommand } from './running-command.js';
import type { CommandResult, TestDatabase } from './test-service.js';

/** Runs the built CLI on a database as operators do, in a process of its own. */
export function cliProcess(database: TestDatabase, ...args: string[]): Promise<CommandResult> {
  return RunningCommand.start(database.url, args).ended;
}

/** The same with something on its standard input, and more in its environment. */
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

/** What a command says that fails: exit code 1, nothing on stdout. */
export async function problem(running: Promise<CommandResult>): Promise<string> {
  const { code, stdout, stderr } = await running;
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  return stderr;
}

/** The cells of a table that a command printed, line by line, headers first. */
export function cells(table: string): string[][] {
  return table.split('\n').map((line) => line.split(/ {2,}/));
}
