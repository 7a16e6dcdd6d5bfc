import type { LoggerService } from '@nestjs/common';
import pino from 'pino';

/** So much is kept for a standard output that is slow to take it, in bytes; then lines are dropped. */
const BACKLOG = 8 * 1024 * 1024;

type Level = 'info' | 'warn' | 'error' | 'fatal';

/**
 * A line of JSON for each message: `level`, `time`, `context`, `message`, for errors `stack`, and the fields that go with
 * it. Standard output is written from another thread: whoever collects it, however slowly, must not hold up answers.
 */
export class JsonLogger implements LoggerService {
  private readonly pino: pino.Logger;

  constructor() {
    const destination = pino.destination({ dest: 1, sync: false, maxLength: BACKLOG });
    // Nobody reads any more: the service goes on.
    destination.on('error', () => undefined);
    const options: pino.LoggerOptions = {
      base: undefined,
      messageKey: 'message',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
    };
    this.pino = pino(options, destination);
  }

  log(message: unknown, ...rest: unknown[]): void {
    this.write('info', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  /** @param rest as Nest hands it on: objects with fields, of an error its stack, and last the context */
  private write(level: Level, message: unknown, rest: readonly unknown[]): void {
    const texts = rest.filter((part) => typeof part === 'string');
    const fields = Object.assign({}, ...rest.filter((part) => typeof part === 'object'));
    const context = texts.pop();
    const stack = message instanceof Error ? message.stack : texts.pop();
    this.pino[level]({ context, ...fields, stack }, message instanceof Error ? message.message : String(message));
  }
}
