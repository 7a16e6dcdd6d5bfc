// npm run conformance: tests whether a deployment does what docs/interface.md and docs/decisions.md state.
import { InvalidArgumentError, Option, program } from 'commander';
import { writeFileSync } from 'node:fs';
import { argv, exit, stderr, stdout } from 'node:process';
import type { Credentials, Target } from './deployment.js';
import { lineOf, summaryOf } from './report.js';
import { runSuite } from './suite.js';

/** Exit code if the suite cannot run: invalid options, no connection, no token. */
const COULD_NOT_RUN = 2;

interface Options {
  url: URL;
  clientId: string;
  clientSecret: string;
  otherClientId?: string;
  otherClientSecret?: string;
  managementUrl?: URL;
  share: number;
  useUpQuota?: true;
  json?: string;
}

const option = (flags: string, description: string, variable: string) => new Option(flags, description).env(variable);

program
  .name('npm run conformance --')
  .description('Compares a deployment with docs/interface.md and docs/decisions.md. It only reads.')
  .addOption(option('--url <url>', 'URL of the deployment', 'BASE_URL').argParser(address).makeOptionMandatory())
  .addOption(option('--client-id <code>', 'Customer Code', 'CLIENT_ID').makeOptionMandatory())
  .addOption(
    option(
      '--client-secret <key>',
      'API key; set it in the environment, because command lines are visible to other users',
      'CLIENT_SECRET',
    ).makeOptionMandatory(),
  )
  .addOption(
    option(
      '--other-client-id <code>',
      'Customer Code of a second customer, to test that customers are separated',
      'OTHER_CLIENT_ID',
    ),
  )
  .addOption(option('--other-client-secret <key>', 'API key of the second customer', 'OTHER_CLIENT_SECRET'))
  .addOption(option('--management-url <url>', 'URL of the management port', 'MANAGEMENT_URL').argParser(address))
  .option('--share <share>', 'share of the remaining quotas that the run may use, 0.1 to 1', shareOf, 0.5)
  .option('--use-up-quota', 'exhausts the minute quota of the second customer, to test 429')
  .option('--json <file>', 'also writes the results to a file')
  .addHelpText('after', '\nExit codes: 0 no clause failed, 1 at least one clause failed, 2 the suite could not run.')
  .exitOverride(({ exitCode }) => exit(exitCode ? COULD_NOT_RUN : 0))
  .action(run);
await program.parseAsync(argv);

async function run(options: Options): Promise<void> {
  const { url, managementUrl, share, useUpQuota = false } = options;
  const { clientId, clientSecret, otherClientId, otherClientSecret } = options;
  const target: Target = {
    url,
    managementUrl,
    customer: { clientId, clientSecret },
    other: otherCustomer(otherClientId, otherClientSecret),
    share,
    useUpQuota,
  };
  try {
    const outcome = await runSuite(target, {
      log: (line) => stderr.write(`${line}\n`),
      onResult: (result) => stdout.write(`${lineOf(result, stdout.isTTY)}\n`),
    });
    stdout.write(`${summaryOf(outcome)}\n`);
    if (options.json) writeFileSync(options.json, `${JSON.stringify({ url, ...outcome }, null, 2)}\n`);
    process.exitCode = outcome.results.some(({ verdict }) => verdict === 'FAIL') ? 1 : 0;
  } catch (error) {
    stderr.write(`The suite could not run: ${(error as Error).message || String(error)}\n`);
    process.exitCode = COULD_NOT_RUN;
  }
}

function otherCustomer(clientId?: string, clientSecret?: string): Credentials | undefined {
  if (!clientId !== !clientSecret)
    program.error('error: a second customer needs both --other-client-id and --other-client-secret');
  return clientId && clientSecret ? { clientId, clientSecret } : undefined;
}

function address(text: string): URL {
  if (!/^https?:/.test(text) || !URL.canParse(text)) throw new InvalidArgumentError('It is not an http or https URL.');
  return new URL(text);
}

function shareOf(text: string): number {
  const value = Number(text);
  if (!(value >= 0.1 && value <= 1)) throw new InvalidArgumentError('It must be 0.1 to 1.');
  return value;
}
