import type { LoggerService } from '@nestjs/common';
import { jsonLog, type LogRecord, type Level, textLog } from './log-lines.js';
import { LogOutput } from './log-output.js';
import type { Settings } from '../config/settings.js';

/** Contexts of the framework's start-up messages, which would repeat at every start. */
const STARTUP_CONTEXTS = new Set([
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
]);

/** Writes the log of the process to standard output, in the format of `LOG_FORMAT`. */
export class ServiceLogger implements LoggerService {
  private readonly print: (level: Level, record: LogRecord) => void;

  constructor(
    { LOG_FORMAT }: Settings,
    private readonly output = new LogOutput((dropped) =>
      this.warn(`${dropped} log lines were dropped: the output was blocked`),
    ),
  ) {
    this.print = LOG_FORMAT === 'json' ? jsonLog(output) : textLog(output);
  }

  log(message: unknown, ...rest: unknown[]): void {
    const record = recordOf(message, rest);
    if (!STARTUP_CONTEXTS.has(record.context ?? '')) this.print('info', record);
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

  /** Writes the collected lines immediately. Call it when the process exits. */
  release(): void {
    this.output.release();
  }

  /** Resolves when everything is written, or after a second if the output is blocked. */
  flush(): Promise<void> {
    return this.output.flush();
  }
}

/**
 * Only the message and the stack of an error are logged, because drivers put SQL statements and their parameters into
 * further properties.
 * @param rest the arguments that Nest passes: fields of the record, the stack of an error, and last the context
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
