import module from 'node:module';
import { constants } from 'node:os';
import { join } from 'node:path';
import { runCli } from './cli/program.js';

/** The part of Node that version 20 and its types lack. */
const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
// Saves a quarter of the start. It has no effect if this folder is read-only, as in the image.
enableCompileCache?.(join(import.meta.dirname, 'compile-cache'));

// In the container of a Job, a command is process 1, and the kernel does not deliver it a signal without a handler.
if (process.pid === 1)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => process.exit(128 + constants.signals[signal]));

const args = process.argv.slice(2);
// The reader of the output may be gone, or a disk may be full. The exit code of an import still shows its outcome.
// Other commands are run for their output, so they fail.
process.stderr.on('error', () => undefined);
process.stdout.on('error', () => {
  if (args[0] !== 'import') process.exitCode = 1;
});

process.exitCode = (await runCli(args, process)) || process.exitCode;
