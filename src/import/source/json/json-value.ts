import { parse } from 'lossless-json';
import { quoted } from '../../excerpt.js';
import type { JsonElement } from './json-elements.js';
import { SourceFault } from '../table-source.js';

export type JsonObject = Readonly<Record<string, unknown>>;

/** A number as the file writes it. */
export class ExactNumber {
  constructor(private readonly text: string) {}

  toString(): string {
    return this.text;
  }
}

/** Numbers that JavaScript's would not give back as they are written: of 16 digits, with an exponent, very small. */
const DELICATE_NUMBER = /[:,[\s]-?(?:[\d.]{16}|[\d.]+[eE]|0\.0{6})/;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}

/**
 * The value that an element's text stands for.
 * @throws {SourceFault} in the line where it is no JSON, or an object has a key twice; the next element can be read
 */
export function parseElement({ line, text, keys }: JsonElement): unknown {
  const value = DELICATE_NUMBER.test(text) ? parseExactly(text, line) : parseFast(text, line);
  if (countKeys(value) === keys) return value;
  parseExactly(text, line);
  throw new SourceFault(line, 'one of its objects has a key twice, with the same value');
}

/** Several times as fast as the exact parser, which is asked only for what is wrong and where. */
function parseFast(text: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return parseExactly(text, line);
  }
}

function parseExactly(text: string, line: number): unknown {
  const lineOf = (position: number) => line + (text.slice(0, position).match(/\r\n|\n|\r/g)?.length ?? 0);
  try {
    return parse(text, null, {
      parseNumber: (number) => new ExactNumber(number),
      // Called where the values differ; equal ones are passed over.
      onDuplicateKey: ({ key, position }) => {
        throw new SourceFault(lineOf(position), `the key ${quoted(key)} is there twice`);
      },
    });
  } catch (error) {
    if (error instanceof SourceFault) throw error;
    const { message } = error as Error;
    const [, reason = message, position] = /^(.*) at position (\d+)$/s.exec(message) ?? [];
    throw new SourceFault(lineOf(Number(position)), `this is no JSON: ${reason}`);
  }
}

function countKeys(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countKeys(item), 0);
  if (!isObject(value)) return 0;
  let keys = 0;
  for (const key in value) keys += 1 + countKeys(value[key]);
  return keys;
}
