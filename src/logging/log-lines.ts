import { styleText } from 'node:util';
import type { LogOutput } from './log-output.js';

export type Level = 'info' | 'warn' | 'error' | 'fatal';

export interface LogRecord {
  /** The part of the service that tells it. */
  context: string | undefined;
  /** For people. Whatever they need is in here, too. */
  message: string;
  /** Of an error that is no business of its caller. */
  stack: string | undefined;
  /** For programs. */
  fields: Readonly<Record<string, unknown>>;
}

type Print = (level: Level, record: LogRecord) => void;

/** No message is longer, in characters, nor a stack. */
const LONGEST = 8192;
const COLORS = { info: 'green', warn: 'yellow', error: 'red', fatal: 'red' } as const;

/** A line of JSON each: `level`, `time`, `context`, the fields, `stack`, `message`. */
export function jsonLog(output: LogOutput): Print {
  return (level, { context, fields, stack, message }) => {
    const text = { stack: stack?.slice(0, LONGEST), message: message.slice(0, LONGEST) };
    output.write(`${JSON.stringify({ level, time: new Date().toISOString(), context, ...fields, ...text })}\n`);
  };
}

/** A line for people each, and the stack of an error indented below it. */
export function textLog(output: LogOutput): Print {
  const { hasColors } = output;
  return (level, { context, stack, message }) => {
    const word = level.toUpperCase().padEnd(5);
    const place = context ? `[${context}] ` : '';
    const line = `${new Date().toISOString()} ${hasColors ? styleText(COLORS[level], word) : word} ${place}${inOneLine(message)}\n`;
    output.write(stack ? `${line}${indented(stack)}\n` : line);
  };
}

/** Without control characters: what a caller sends must not pass for another line, nor reach the terminal. */
function inOneLine(text: string): string {
  return text.slice(0, LONGEST).replace(/[\p{Cc}\u2028\u2029]/gu, ' ');
}

function indented(stack: string): string {
  return stack
    .slice(0, LONGEST)
    .split('\n')
    .map((line) => `    ${inOneLine(line)}`)
    .join('\n');
}
