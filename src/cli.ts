import { constants } from 'node:os';
import { keepCompiledCode } from './cli/compiled-code.js';
import { runCli } from './cli/program.js';

keepCompiledCode(import.meta.dirname);

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
