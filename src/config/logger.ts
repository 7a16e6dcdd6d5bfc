import { ConsoleLogger } from '@nestjs/common';
import type { Settings } from './settings.js';

/** Contexts in which the framework tells how it assembles itself: noise at every start. */
const ASSEMBLY = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);

/** The log of the process: JSON lines in production, readable ones elsewhere, without the framework's assembly. */
export class ServiceLogger extends ConsoleLogger {
  constructor({ NODE_ENV }: Settings) {
    super({
      json: NODE_ENV === 'production',
      colors: Boolean(process.stdout.isTTY),
      logLevels: ['log', 'warn', 'error', 'fatal'],
    });
  }

  override log(message: unknown, ...rest: unknown[]): void {
    if (!ASSEMBLY.has(String(rest.at(-1)))) super.log(message, ...rest);
  }
}
