import type { LoggerService } from '@nestjs/common';
import { jsonLog, type LogRecord, type Level, textLog } from './log-lines.js';
import { LogOutput } from './log-output.js';
import type { Settings } from '../config/settings.js';

/** Contexts in which the framework tells how it assembles itself: noise at every start. */
const ASSEMBLY = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);

/** The log of the process: on standard output, in the form of the settings, without the framework's assembly. */
export class ServiceLogger implements LoggerService {
  private readonly print: (level: Level, record: LogRecord) => void;

  constructor(
    { LOG_FORMAT }: Settings,
    private readonly output = new LogOutput((dropped) => this.warn(`${dropped} lines were dropped: nobody took them`)),
  ) {
    this.print = LOG_FORMAT === 'json' ? jsonLog(output) : textLog(output);
  }

  log(message: unknown, ...rest: unknown[]): void {
    const record = recordOf(message, rest);
    if (!ASSEMBLY.has(record.context ?? '')) this.print('info', record);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.print('warn', recordOf(message, rest));
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.print('error', recordOf(message, rest));
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.print('fatal', recordOf(message, rest));
  }

  /** Resolves when everything is written, or after a while where nobody takes it. */
  flush(): Promise<void> {
    return this.output.flush();
  }
}

/**
 * @param rest as Nest hands it on: fields of the record, the stack of an error, last the context. Of an error nothing else
 * is told: drivers put statements and their parameters into further properties.
 */
function recordOf(message: unknown, rest: readonly unknown[]): LogRecord {
  const texts = rest.filter((part) => typeof part === 'string');
  const context = texts.pop();
  const error = [message, ...rest].find((part) => part instanceof Error);
  const fields = rest.filter((part) => typeof part === 'object' && !(part instanceof Error));
  return {
    context,
    fields: Object.assign({}, ...fields),
    stack: texts.pop() ?? error?.stack,
    message: message instanceof Error ? message.message : String(message),
  };
}
