import { Command, CommanderError } from 'commander';
import type { Settings } from '../config/settings.js';
import { CommandFailed } from './command-failed.js';
import { DESCRIPTIONS } from './descriptions.js';
import type { Output, Print } from './output.js';

/** Commands need the whole service, `--help` does not. */
const loadCommands = () => import('./commands.js');

/**
 * Runs one command.
 * @param settings reads the settings; by default from the environment
 * @returns the exit code: 0, 1 if the command failed, or 2 if a check has findings
 */
export async function runCli(args: readonly string[], output: Output, settings?: () => Settings): Promise<number> {
  const { stdout, stderr } = output;
  const print: Print = (text) => void stdout.write(`${text}\n`);
  const program = new Command('customer-data')
    .description('Operates the Customer Data Service: its database, files, customers and API keys.')
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) })
    .exitOverride()
    // `import log` does not inherit the options of `import`.
    .enablePositionalOptions()
    .showHelpAfterError('(run with --help for more information)');
  for (const [name, description] of Object.entries(DESCRIPTIONS)) program.command(name).description(description);
  const named = args[0] === 'help' ? args[1] : args[0];
  const command = program.commands.find((one) => one.name() === named);
  const session = command && (await loadCommands()).define(command, print, output, settings);
  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    stderr.write(`${(await loadCommands()).explain(error as Error)}\n`);
    return error instanceof CommandFailed ? error.exitCode : 1;
  } finally {
    await session?.close();
  }
}
