import 'reflect-metadata';
import { command } from './config/command.js';
import { ServiceLogger } from './logging/logger.js';
import { readSettings, type Settings } from './config/settings.js';
import { SettingsError } from './config/settings-error.js';
import type { DemoCredentials } from './demo/demo.service.js';
import { type Service, startService } from './service.js';
import { announceExit } from './telemetry/exit-channel.js';

/** Within this time, in milliseconds, a further signal is an echo of the first one. */
const ECHO_MS = 500;

const settings = settingsOrExit();
const logger = new ServiceLogger(settings);
let service: Service | undefined;
// Otherwise the lines of the last 10 ms would be lost.
process.once('exit', () => logger.release());
process.on('uncaughtException', (error: unknown) => {
  logger.fatal(error, 'Process');
  service?.abort();
  void exit(1);
});
service = await startService(settings, logger).catch(exitWith);
logger.log(`Listening on port ${service.port} (public) and ${service.managementPort} (management)`);
let stoppingSince: number | undefined;
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void stop(service));
const credentials = await service.ready;
if (credentials) {
  // The instructions come after the lines of the log so far.
  logger.release();
  process.stdout.write(demoInstructions(credentials, service.port));
}

function settingsOrExit(): Settings {
  try {
    return readSettings();
  } catch (error) {
    if (error instanceof SettingsError) return exitWith(error);
    throw error;
  }
}

/**
 * Prints only the message of an error that an operator can fix. Any other error is a bug and is printed with its stack.
 */
function exitWith(error: Error & { code?: string }): never {
  const isBug = !(error instanceof SettingsError) && error.code === undefined;
  if (error.code === 'EADDRINUSE')
    error.message += `. Set PORT or MANAGEMENT_PORT to another port, or stop the process that uses this one`;
  process.stderr.write(`${isBug ? error.stack : error.message}\n`);
  process.exit(1);
}

async function stop(running: Service): Promise<void> {
  const now = Date.now();
  if (stoppingSince !== undefined) {
    // Under npm, a single Ctrl-C arrives twice: from the terminal and from npm.
    if (now - stoppingSince < ECHO_MS) return;
    // A second signal ends the process at once, because the operator does not want to wait.
    running.abort();
    process.exit(1);
  }
  stoppingSince = now;
  logger.log(`Shutting down: new requests are served for another ${settings.DRAIN_SECONDS} s`);
  await running.close();
  await exit(0);
}

/** Ends the process after exporting its last traces and writing the last lines of its log. */
async function exit(code: number): Promise<never> {
  await announceExit();
  await logger.flush();
  process.exit(code);
}

function demoInstructions({ customerCode, apiKey }: DemoCredentials, port: number): string {
  const base = `http://localhost:${port}`;
  return `
The demo data is loaded. Try it with this customer. Its key is shown only once
(to issue another one: ${command(`key issue ${customerCode}`)}):

  Customer Code  ${customerCode}
  API key        ${apiKey}

  TOKEN=$(curl -s ${base}/auth/token -d grant_type=client_credentials \\
    -d client_id=${customerCode} -d client_secret=${apiKey} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
  curl -s -H "Authorization: Bearer $TOKEN" ${base}/products

`;
}
