// npm run conformance: whether a deployment does what docs/interface.md and docs/decisions.md say.
import { InvalidArgumentError, Option, program } from 'commander';
import { writeFileSync } from 'node:fs';
import { argv, exit, stderr, stdout } from 'node:process';
import type { Credentials, Target } from './deployment.js';
import { lineOf, summaryOf } from './report.js';
import { runSuite } from './suite.js';

/** Nothing can be said: wrong options, no connection, no token. */
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
  .description('Compares a deployment with docs/interface.md and docs/decisions.md. It reads only.')
  .addOption(option('--url <url>', 'address of the deployment', 'BASE_URL').argParser(address).makeOptionMandatory())
  .addOption(option('--client-id <code>', 'Customer Code', 'CLIENT_ID').makeOptionMandatory())
  .addOption(
    option('--client-secret <key>', 'API key; better by the environment', 'CLIENT_SECRET').makeOptionMandatory(),
  )
  .addOption(
    option('--other-client-id <code>', 'a second customer, to be kept apart from the first', 'OTHER_CLIENT_ID'),
  )
  .addOption(option('--other-client-secret <key>', 'its API key', 'OTHER_CLIENT_SECRET'))
  .addOption(option('--management-url <url>', 'address of the management port', 'MANAGEMENT_URL').argParser(address))
  .option('--share <part>', 'the part of the quotas that may be used, 0.1 to 1', part, 0.5)
  .option('--use-up-quota', "uses up the second customer's minute, to see it refused")
  .option('--json <file>', 'writes the results to a file as well')
  .addHelpText('after', '\nExit codes: 0 nothing failed, 1 something did, 2 it could not run.')
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
      tell: (line) => stderr.write(`${line}\n`),
      found: (result) => stdout.write(`${lineOf(result, stdout.isTTY)}\n`),
    });
    stdout.write(`${summaryOf(outcome)}\n`);
    if (options.json) writeFileSync(options.json, `${JSON.stringify({ url, ...outcome }, null, 2)}\n`);
    process.exitCode = outcome.results.some(({ verdict }) => verdict === 'FAIL') ? 1 : 0;
  } catch (error) {
    stderr.write(`It could not run: ${(error as Error).message || String(error)}\n`);
    process.exitCode = COULD_NOT_RUN;
  }
}

function otherCustomer(clientId?: string, clientSecret?: string): Credentials | undefined {
  if (!clientId !== !clientSecret) program.error('error: a second customer needs both its code and its key');
  return clientId && clientSecret ? { clientId, clientSecret } : undefined;
}

function address(text: string): URL {
  if (!/^https?:/.test(text) || !URL.canParse(text)) throw new InvalidArgumentError('It is no http or https address.');
  return new URL(text);
}

function part(text: string): number {
  const share = Number(text);
  if (!(share >= 0.1 && share <= 1)) throw new InvalidArgumentError('It has to be 0.1 to 1.');
  return share;
}
