import { holds, same } from './clause.js';
import { Broken, NotTestable } from './failure.js';
import type { Caller, Customer, Deployment } from './deployment.js';
import { DATA_PATHS, type Path } from './endpoints.js';
import type { ReceivedResponse } from './http.js';

export type Element = Readonly<Record<string, unknown>>;

export type DataPath = Path;

const parsed = new WeakMap<ReceivedResponse, unknown>();

/** The body of a response as JSON. @throws {Broken} if it is not JSON */
export function jsonOf(response: ReceivedResponse): unknown {
  if (!parsed.has(response)) {
    try {
      parsed.set(response, JSON.parse(response.bytes.toString()));
    } catch {
      throw new Broken(`expected JSON, received ${JSON.stringify(response.bytes.toString('utf8', 0, 100))}`);
    }
  }
  return parsed.get(response);
}

/** The elements of a data response. @throws {Broken} if it is not an array of objects */
export function elementsOf(response: ReceivedResponse): Element[] {
  same('status', response.status, 200);
  const body = jsonOf(response);
  const objects = Array.isArray(body) && body.every((element) => typeof element === 'object' && element !== null);
  holds(objects && !body.some(Array.isArray), 'an array of objects', body);
  return body as Element[];
}

/** The elements that a data endpoint returns to the customer. */
export async function elements(deployment: Deployment, path: DataPath): Promise<Element[]> {
  return elementsOf(await deployment.ask({ path }));
}

/** A nested array of a product; [] if it is not an array. */
export function nested(product: Element, name: string): Element[] {
  const array = product[name];
  return Array.isArray(array) ? (array as Element[]) : [];
}

/** The numbers in a JSON text with their keys. The numbers stay text, because a parser would lose digits. */
export function* numbersIn(text: string): Generator<{ key: string; number: string }> {
  for (const [, key, number] of text.matchAll(/"((?:[^"\\]|\\.)*)"(?:\s*:\s*([-+.\d][-+.\deE]*))?/g))
    if (number !== undefined) yield { key: key!, number };
}

/**
 * The responses of all data endpoints for one state of the content. The three endpoints of the contract are always
 * present.
 */
export type Catalogue = Readonly<
  Record<DataPath, ReceivedResponse> & Record<'/products' | '/stock' | '/prices', ReceivedResponse>
>;

const catalogues = new WeakMap<Deployment, Map<Caller, Promise<Catalogue>>>();
const ATTEMPTS = 3;

/**
 * The responses to a customer for one state of the content. @throws {NotTestable} if it changes during every attempt
 */
export function catalogue(deployment: Deployment, as: Customer = 'customer'): Promise<Catalogue> {
  const byCaller = catalogues.get(deployment) ?? new Map<Caller, Promise<Catalogue>>();
  catalogues.set(deployment, byCaller);
  const responses = byCaller.get(as) ?? fetchCatalogue(deployment, as);
  byCaller.set(as, responses);
  return responses;
}

async function fetchCatalogue(deployment: Deployment, as: Caller): Promise<Catalogue> {
  const caller = as === 'customer' ? {} : { as };
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    // The first attempt shares the responses of other clauses, which saves quota.
    const get = (path: DataPath) =>
      (attempt === 1 ? deployment.ask : deployment.send).call(deployment, { path, ...caller });
    const responses: [DataPath, ReceivedResponse][] = [];
    for (const path of DATA_PATHS) responses.push([path, await get(path)]);
    if (await areCurrent(deployment, caller, responses)) return Object.fromEntries(responses) as Catalogue;
  }
  throw new NotTestable('the content changed during every attempt: run the suite again between two imports');
}

/** Whether HEAD still returns the ETag of each response. */
async function areCurrent(
  deployment: Deployment,
  caller: { as?: Caller },
  responses: readonly [DataPath, ReceivedResponse][],
): Promise<boolean> {
  for (const [path, { headers }] of responses)
    if ((await deployment.send({ path, method: 'HEAD', ...caller })).headers.etag !== headers.etag) return false;
  return true;
}

/**
 * @throws {Broken} if the bytes differ from the response of the endpoint
 * @throws {NotTestable} if the content changed in between
 */
export async function sameBytes(deployment: Deployment, path: DataPath, bytes: Buffer): Promise<void> {
  const current = (await deployment.ask({ path })).bytes;
  const equal = bytes.equals(current);
  if (!equal && !(await deployment.send({ path })).bytes.equals(current))
    throw new NotTestable('the content changed during the check: run the suite again between two imports');
  holds(equal, `the ${current.length} bytes of ${path}`, `${bytes.length} different bytes`);
}

/** The order of elements: by code points (docs/decisions.md#2). */
export function compareCodePoints(one: unknown, other: unknown): number {
  return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)));
}
