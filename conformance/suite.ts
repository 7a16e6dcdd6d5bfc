import { AUTHENTICATION } from './clauses/authentication.js';
import { CHANGES } from './clauses/changes.js';
import { CONDITIONAL } from './clauses/conditional.js';
import { CONTENT } from './clauses/content.js';
import { LAST_ELEMENT } from './clauses/last-element.js';
import { ENDPOINTS, EVERY_ANSWER } from './clauses/endpoints.js';
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

/** Every clause, in the order of the run: what is said of all answers comes last. */
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
  ...EVERY_ANSWER,
  ...EVERY_QUOTA,
];

export interface Result {
  id: string;
  text: string;
  verdict: 'PASS' | 'FAIL' | 'NOT TESTABLE';
  /** What was expected and what came, or why nothing can be said; absent where it passed. */
  detail?: string;
}

/** What a run found, and how many requests it took. */
export interface Outcome {
  results: Result[];
  requests: number;
}

export interface Listener {
  /** What people should know while it runs. */
  tell: (line: string) => void;
  /** Each result, as soon as it is there. */
  found: (result: Result) => void;
}

/** Puts every clause to the deployment. @throws where it cannot be reached, or gives its customer no token */
export async function runSuite(target: Target, { tell, found }: Listener): Promise<Outcome> {
  const deployment = new Deployment(target, tell);
  try {
    await begin(deployment);
    const results: Result[] = [];
    for (const clause of CLAUSES) {
      const result = await resultOf(clause, deployment);
      results.push(result);
      found(result);
    }
    return { results, requests: deployment.seen.length };
  } finally {
    deployment.close();
  }
}

async function begin(deployment: Deployment): Promise<void> {
  for (const who of ['customer', ...(deployment.target.other ? (['other'] as const) : [])] as const) {
    const { status, bytes } = await deployment.ask(tokenCall(deployment, who));
    if (status !== 200) throw new Error(`No token for the ${who}: ${status} ${bytes.toString('utf8', 0, 200)}`);
    await deployment.token(who);
  }
}

async function resultOf({ id, text, check }: Clause, deployment: Deployment): Promise<Result> {
  try {
    await check(deployment);
    return { id, text, verdict: 'PASS' };
  } catch (error) {
    const message = withoutTokens((error as Error).message);
    if (error instanceof NotTestable) return { id, text, verdict: 'NOT TESTABLE', detail: message };
    const detail = error instanceof Broken ? message : `it could not be checked: ${message}`;
    return { id, text, verdict: 'FAIL', detail };
  }
}

/** A result is shown around, and may quote an answer. */
function withoutTokens(text: string): string {
  return text.replaceAll(/eyJ[\w.-]+/g, 'eyJ…');
}
