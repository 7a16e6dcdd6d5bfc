import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { CommandResult, TestDatabase } from './test-service.js';

const CLI = join(__dirname, '../../dist/cli.js');

/** Runs the built CLI on a database as operators do, in a process of its own. */
export function cliProcess(database: TestDatabase, ...args: string[]): Promise<CommandResult> {
  return cliProcessReading('', {}, database, ...args);
}

/** The same with something on its standard input, and more in its environment. */
export function cliProcessReading(
  stdin: string,
  environment: Record<string, string>,
  database: TestDatabase,
  ...args: string[]
): Promise<CommandResult> {
  const child = spawn(process.execPath, [CLI, ...args], {
    env: { PATH: process.env.PATH, DATABASE_URL: database.url, ...environment },
  });
  // A command that reads nothing may be gone before it is written.
  child.stdin.on('error', () => undefined).end(stdin);
  const result = { code: 0, stdout: '', stderr: '' };
  child.stdout.on('data', (text) => (result.stdout += text));
  child.stderr.on('data', (text) => (result.stderr += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('close', (code) => resolve({ ...result, code: code ?? -1 }));
  });
}

/** What a command says that fails: exit code 1, nothing on stdout. */
export async function complaint(running: Promise<CommandResult>): Promise<string> {
  const { code, stdout, stderr } = await running;
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  return stderr;
}

/** The cells of a table that a command printed, line by line, headers first. */
export function cells(table: string): string[][] {
  return table.split('\n').map((line) => line.split(/ {2,}/));
}
