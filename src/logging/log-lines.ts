import { styleText } from 'node:util';
import type { LogOutput } from './log-output.js';

export type Level = 'info' | 'warn' | 'error' | 'fatal';

export interface LogRecord {
  /** The part of the service that logs the record. */
  context: string | undefined;
  /** The text for people. It contains everything that they need from the fields. */
  message: string;
  /** The stack of an error whose details the client must not see. */
  stack: string | undefined;
  /** Values for programs. */
  fields: Readonly<Record<string, unknown>>;
}

type Print = (level: Level, record: LogRecord) => void;

/** Maximum length of a message and of a stack, in characters. */
const MAX_LENGTH = 8192;
const COLORS = { info: 'green', warn: 'yellow', error: 'red', fatal: 'red' } as const;

/** Prints each record as a line of JSON: `level`, `time`, `context`, the fields, `stack`, `message`. */
export function jsonLog(output: LogOutput): Print {
  return (level, { context, fields, stack, message }) => {
    const text = { stack: stack?.slice(0, MAX_LENGTH), message: message.slice(0, MAX_LENGTH) };
    output.write(`${JSON.stringify({ level, time: new Date().toISOString(), context, ...fields, ...text })}\n`);
  };
}

/** Prints each record as a line for people, with the stack of an error indented below it. */
export function textLog(output: LogOutput): Print {
  const { hasColors } = output;
  return (level, { context, stack, message }) => {
    const word = level.toUpperCase().padEnd(5);
    const place = context ? `[${context}] ` : '';
    const line = `${new Date().toISOString()} ${hasColors ? styleText(COLORS[level], word) : word} ${place}${inOneLine(message)}\n`;
    output.write(stack ? `${line}${indented(stack)}\n` : line);
  };
}

/** Replaces control characters, so that input of a client can neither forge a log line nor control a terminal. */
function inOneLine(text: string): string {
  return text.slice(0, MAX_LENGTH).replace(/[\p{Cc}\u2028\u2029]/gu, ' ');
}

function indented(stack: string): string {
  return stack
    .slice(0, MAX_LENGTH)
    .split('\n')
    .map((line) => `    ${inOneLine(line)}`)
    .join('\n');
}
