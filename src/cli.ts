import { runCli } from './cli/program.js';

const args = process.argv.slice(2);
// The reader of the output may be gone, or a disk may be full. The exit code of an import still shows its outcome.
// Other commands are run for their output, so they fail.
process.stderr.on('error', () => undefined);
process.stdout.on('error', () => {
  if (args[0] !== 'import') process.exitCode = 1;
});

process.exitCode = (await runCli(args, process)) || process.exitCode;
