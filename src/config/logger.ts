import { ConsoleLogger, type LoggerService } from '@nestjs/common';
import { JsonLogger } from './json-logger.js';
import type { Settings } from './settings.js';

/** Contexts in which the framework tells how it assembles itself: noise at every start. */
const ASSEMBLY = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);

/** The log of the process, in the form of the settings, without the framework's assembly. */
export function serviceLogger({ LOG_FORMAT }: Settings): LoggerService {
  const logger: LoggerService = LOG_FORMAT === 'json' ? new JsonLogger() : new TextLogger();
  const log = logger.log.bind(logger);
  logger.log = (message: unknown, ...rest: unknown[]) => {
    if (!ASSEMBLY.has(String(rest.at(-1)))) log(message, ...rest);
  };
  return logger;
}

/** Lines for people, who read in the message what the fields say. */
class TextLogger extends ConsoleLogger {
  constructor() {
    super({ colors: Boolean(process.stdout.isTTY), logLevels: ['log', 'warn', 'error', 'fatal'] });
  }

  protected override formatMessage(...parts: Parameters<ConsoleLogger['formatMessage']>): string {
    const [level, message, pid, formattedLevel, context, difference] = parts;
    return super.formatMessage(level, message, pid, formattedLevel, context, difference);
  }
}
