import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { runCli } from './cli/program.js';

// Commands tell what they do themselves.
Logger.overrideLogger(false);

const args = process.argv.slice(2);
// Nobody may be reading any more, or a disk be full. What an import did counts more than that nobody can read of it; of
// other commands the output is what they are run for.
process.stderr.on('error', () => undefined);
process.stdout.on('error', () => {
  if (args[0] !== 'import') process.exitCode = 1;
});

process.exitCode = (await runCli(args, process)) || process.exitCode;
