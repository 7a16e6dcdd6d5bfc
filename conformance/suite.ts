import { AUTHENTICATION } from './clauses/authentication.js';
import { CHANGES } from './clauses/changes.js';
import { CONDITIONAL } from './clauses/conditional.js';
import { CONTENT } from './clauses/content.js';
import { LAST_ELEMENT } from './clauses/last-element.js';
import { ENDPOINTS, EVERY_RESPONSE } from './clauses/endpoints.js';
import { ERRORS } from './clauses/errors.js';
import { FORMATS } from './clauses/formats.js';
import { EVERY_QUOTA, LIMITS, REFUSAL } from './clauses/limits.js';
import { OPERATION } from './clauses/operation.js';
import { OVERVIEW } from './clauses/overview.js';
import { NUMBERS, RESOURCE_CLAUSES } from './clauses/resources.js';
import { SCHEMAS } from './clauses/schemas.js';
import { SEPARATION } from './clauses/separation.js';
import { TABLES } from './clauses/tables.js';
import { TOKEN_REFUSALS } from './clauses/token-refusals.js';
import { type Clause } from './clause.js';
import { Broken, NotTestable } from './failure.js';
import { Deployment, type Target, tokenCall } from './deployment.js';

/** Every clause, in the order of the run. Clauses about all responses run last. */
export const CLAUSES: readonly Clause[] = [
  ...OVERVIEW,
  ...RESOURCE_CLAUSES,
  ...NUMBERS,
  ...CONTENT,
  ...LAST_ELEMENT,
  ...SCHEMAS,
  ...ENDPOINTS,
  ...CONDITIONAL,
  ...CHANGES,
  ...AUTHENTICATION,
  ...TOKEN_REFUSALS,
  ...ERRORS,
  ...LIMITS,
  ...FORMATS,
  ...TABLES,
  ...SEPARATION,
  ...REFUSAL,
  ...OPERATION,
  ...EVERY_RESPONSE,
  ...EVERY_QUOTA,
];

export interface Result {
  id: string;
  text: string;
  verdict: 'PASS' | 'FAIL' | 'NOT TESTABLE';
  /** The expected and the received value, or why the clause is not testable; absent if it passed. */
  detail?: string;
}

/** The results of a run, and the number of its requests. */
export interface Outcome {
  results: Result[];
  requests: number;
}

export interface Listener {
  /** Receives lines about waiting. */
  log: (line: string) => void;
  /** Receives each result at once. */
  onResult: (result: Result) => void;
}

/** Checks every clause. @throws if the deployment cannot be reached or returns no token */
export async function runSuite(target: Target, { log, onResult }: Listener): Promise<Outcome> {
  const deployment = new Deployment(target, log);
  try {
    await requestTokens(deployment);
    const results: Result[] = [];
    for (const clause of CLAUSES) {
      const result = await resultOf(clause, deployment);
      results.push(result);
      onResult(result);
    }
    return { results, requests: deployment.seen.length };
  } finally {
    deployment.close();
  }
}

async function requestTokens(deployment: Deployment): Promise<void> {
  for (const customer of ['customer', ...(deployment.target.other ? (['other'] as const) : [])] as const) {
    const { status, bytes } = await deployment.ask(tokenCall(deployment, customer));
    if (status !== 200) throw new Error(`No token for the ${customer}: ${status} ${bytes.toString('utf8', 0, 200)}`);
    await deployment.token(customer);
  }
}

async function resultOf({ id, text, check }: Clause, deployment: Deployment): Promise<Result> {
  try {
    await check(deployment);
    return { id, text, verdict: 'PASS' };
  } catch (error) {
    const message = withoutTokens((error as Error).message);
    if (error instanceof NotTestable) return { id, text, verdict: 'NOT TESTABLE', detail: message };
    const detail = error instanceof Broken ? message : `the check failed: ${message}`;
    return { id, text, verdict: 'FAIL', detail };
  }
}

/** Removes tokens: people share results, and a result may quote a response. */
function withoutTokens(text: string): string {
  return text.replaceAll(/eyJ[\w.-]+/g, 'eyJ…');
}
