import { styleText } from 'node:util';
import type { Outcome, Result } from './suite.js';

const STYLES = { PASS: 'green', FAIL: 'red', 'NOT TESTABLE': 'dim' } as const;

/** One line for a clause. @param colour whether the verdict is in colour */
export function lineOf({ id, text, verdict, detail }: Result, colour: boolean): string {
  const padded = verdict.padEnd('NOT TESTABLE'.length);
  const shown = colour ? styleText(STYLES[verdict], padded, { validateStream: false }) : padded;
  return `${shown}  ${id}: ${text}${detail ? ` — ${detail}` : ''}`;
}

/** The last line: the number of each verdict, and the number of requests. */
export function summaryOf({ results, requests }: Outcome): string {
  const count = (verdict: Result['verdict']) => results.filter((result) => result.verdict === verdict).length;
  const counts = `${count('PASS')} passed, ${count('FAIL')} failed, ${count('NOT TESTABLE')} not testable here`;
  return `${results.length} clauses: ${counts}. It took ${requests} requests.`;
}
