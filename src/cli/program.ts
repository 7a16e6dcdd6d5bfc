import { Command, CommanderError } from 'commander';
import { readSettings, type Settings, SettingsError } from '../config/settings.js';
import { visibleLines } from '../import/excerpt.js';
import { ImportRefused } from '../import/problems.js';
import { UnknownReference } from '../customers/customers.service.js';
import { PriceChangeRefused } from '../guard/terms-comparison.js';
import { CommandFailed } from './command-failed.js';
import { catalogueCommands } from './catalogue.commands.js';
import { customerCommands } from './customer.commands.js';
import { dataCommands } from './data.commands.js';
import { documentsCommands } from './documents.commands.js';
import { importCommands } from './import.commands.js';
import { keyCommands } from './key.commands.js';
import type { Output } from './output.js';
import { quotaCommands } from './quota.commands.js';
import { Session } from './session.js';

/** Runs one command. @returns the exit code: 0, 1 if the command failed, or 2 if a check has findings */
export async function runCli(
  args: readonly string[],
  output: Output,
  settings: () => Settings = () => readSettings(undefined, { signing: false }),
): Promise<number> {
  const { stdout, stderr } = output;
  const print = (text: string) => void stdout.write(`${text}\n`);
  const session = new Session(settings);
  const program = new Command('customer-data')
    .description('Operates the Customer Data Service: its database, files, customers and API keys.')
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) })
    .exitOverride()
    // `import log` does not inherit the options of `import`.
    .enablePositionalOptions()
    .showHelpAfterError('(run with --help for more information)');
  for (const add of [dataCommands, customerCommands, quotaCommands, documentsCommands, catalogueCommands])
    add(program, session, print);
  keyCommands(program, session, output);
  importCommands(program, session, output);
  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    stderr.write(`${visibleLines(explain(error as Error))}\n`);
    return error instanceof CommandFailed ? error.exitCode : 1;
  } finally {
    await session.close();
  }
}

function explain(error: Error): string {
  const expected = [CommandFailed, SettingsError, ImportRefused, UnknownReference, PriceChangeRefused].some(
    (kind) => error instanceof kind,
  );
  return expected ? error.message : `Failed: ${error.message || error.name}`;
}
