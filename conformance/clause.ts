import { isDeepStrictEqual } from 'node:util';
import type { Deployment } from './deployment.js';
import { Broken, NotTestable } from './failure.js';

/** One statement of the contract, and a check of it from outside. */
export interface Clause {
  /** The section or decision, and a name: `§5.8 wrong-key`, `decision 72 head`. */
  id: string;
  /** The statement, with further sections and decisions in parentheses: `(decision 18)`, `(§7)`. */
  text: string;
  /**
   * Resolves if the deployment does what the clause requires.
   * @throws {Broken} if it does not
   * @throws {NotTestable} if this run cannot decide it
   */
  check: (deployment: Deployment) => Promise<void> | void;
}

export function clause(id: string, text: string, check: Clause['check']): Clause {
  return { id, text, check };
}

/** A statement that a client cannot observe, or can observe only by doing harm. @param why printed with the result */
export function notTestable(why: string): Clause['check'] {
  return () => {
    throw new NotTestable(why);
  };
}

/** @throws {Broken} unless the two are deeply equal */
export function same(what: string, actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) holds(false, `${what} ${excerpt(expected)}`, actual);
}

/** @throws {Broken} unless the text matches */
export function matches(what: string, actual: unknown, pattern: RegExp): void {
  holds(typeof actual === 'string' && pattern.test(actual), `${what} like ${pattern}`, actual);
}

/** @param expected the requirement in words. @throws {Broken} unless the condition holds */
export function holds(condition: boolean, expected: string, actual: unknown): asserts condition {
  if (!condition) throw new Broken(`expected ${expected}, received ${excerpt(actual)}`);
}

const MOST_CHARACTERS = 300;

/** A value as JSON, truncated to fit into a line. */
function excerpt(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}

/** The sections and decisions that a clause covers: `§5.8`, `decision 18`. */
export function referencesOf({ id, text }: Pick<Clause, 'id' | 'text'>): string[] {
  const references = `${id} ${text}`;
  const sections = references.match(/§\d+(\.\d+)*/g) ?? [];
  const decisions = [...references.matchAll(/\bdecisions? (\d+(?:(?:, | and )\d+)*)/g)].flatMap(([, numbers]) =>
    numbers!.match(/\d+/g)!.map((number) => `decision ${number}`),
  );
  return [...sections, ...decisions];
}
