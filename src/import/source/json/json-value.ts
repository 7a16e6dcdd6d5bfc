import { parse } from 'lossless-json';
import { quoted } from '../../excerpt.js';
import type { JsonElement } from './json-elements.js';
import { SourceFault } from '../table-source.js';

export type JsonObject = Readonly<Record<string, unknown>>;

/** A number spelt as in the file. */
export class ExactNumber {
  constructor(private readonly text: string) {}

  toString(): string {
    return this.text;
  }
}

/** Finds numbers that JavaScript could change: of 16 characters or more, with an exponent, or very small. */
const INEXACT_NUMBER = /[:,[\s]-?(?:[\d.]{16}|[\d.]+[eE]|0\.0{6})/;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}

/**
 * Parses the text of an element. If JavaScript could change one of its numbers, all of them become `ExactNumber`.
 * @throws {SourceFault} at the line where the text is not JSON or has a key twice; the next element can still be read
 */
export function parseElement({ line, text, keys }: JsonElement): unknown {
  const value = INEXACT_NUMBER.test(text) ? parseExactly(text, line) : parseFast(text, line);
  if (countKeys(value) === keys) return value;
  parseExactly(text, line);
  throw new SourceFault(line, 'an object in this element has a key twice with the same value');
}

/** `JSON.parse` is several times as fast. If it fails, the exact parser reports the place and the reason. */
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
      // The parser calls this only if the two values differ.
      onDuplicateKey: ({ key, position }) => {
        throw new SourceFault(lineOf(position), `the key ${quoted(key)} occurs twice`);
      },
    });
  } catch (error) {
    if (error instanceof SourceFault) throw error;
    const { message } = error as Error;
    const [, reason = message, position] = /^(.*) at position (\d+)$/s.exec(message) ?? [];
    throw new SourceFault(lineOf(Number(position)), `this is not valid JSON: ${reason}`);
  }
}

function countKeys(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countKeys(item), 0);
  if (!isObject(value)) return 0;
  let keys = 0;
  for (const key in value) keys += 1 + countKeys(value[key]);
  return keys;
}
