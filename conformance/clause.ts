import { isDeepStrictEqual } from 'node:util';
import type { Deployment } from './deployment.js';
import { Broken, NotTestable } from './failure.js';

/** One thing that the contract says, and what a client has to see of it. */
export interface Clause {
  /** Where it stands, and a name: `§5.8 wrong-key`, `decision 33 strict-paths`. */
  id: string;
  /** What is demanded; further places that say so in parentheses: `(decision 18)`, `(§7)`. */
  text: string;
  /**
   * Resolves where the deployment does as demanded.
   * @throws {Broken} where it does not
   * @throws {NotTestable} where that cannot be told
   */
  check: (deployment: Deployment) => Promise<void> | void;
}

export function clause(id: string, text: string, check: Clause['check']): Clause {
  return { id, text, check };
}

/** A check for what no client sees, or could not see without doing harm. */
export function notTestable(why: string): Clause['check'] {
  return () => {
    throw new NotTestable(why);
  };
}

/** @throws {Broken} unless the two are the same, all the way down */
export function same(what: string, actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) holds(false, `${what} ${excerpt(expected)}`, actual);
}

/** @throws {Broken} unless the text matches */
export function matches(what: string, actual: unknown, pattern: RegExp): void {
  holds(typeof actual === 'string' && pattern.test(actual), `${what} like ${pattern}`, actual);
}

/** @param expected what was demanded, in words. @throws {Broken} unless it holds */
export function holds(condition: boolean, expected: string, actual: unknown): asserts condition {
  if (!condition) throw new Broken(`expected ${expected}, came ${excerpt(actual)}`);
}

const LONGEST = 300;

/** As much of a value as fits into a line. */
function excerpt(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** The places of the documents that a clause speaks for: `§5.8`, `decision 18`. */
export function placesOf({ id, text }: Pick<Clause, 'id' | 'text'>): string[] {
  const places = `${id} ${text}`;
  const sections = places.match(/§\d+(\.\d+)*/g) ?? [];
  const decisions = [...places.matchAll(/\bdecisions? (\d+(?:(?:, | and )\d+)*)/g)].flatMap(([, numbers]) =>
    numbers!.match(/\d+/g)!.map((number) => `decision ${number}`),
  );
  return [...sections, ...decisions];
}
