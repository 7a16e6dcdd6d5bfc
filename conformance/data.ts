import { holds, same } from './clause.js';
import { Broken, NotTestable } from './failure.js';
import type { Caller, Deployment } from './deployment.js';
import { DATA_PATHS, type Path } from './endpoints.js';
import type { ReceivedResponse } from './http.js';

export type Element = Readonly<Record<string, unknown>>;

export type DataPath = Path;

const parsed = new WeakMap<ReceivedResponse, unknown>();

/** The body of an answer as JSON. @throws {Broken} where it is none */
export function jsonOf(response: ReceivedResponse): unknown {
  if (!parsed.has(response)) {
    try {
      parsed.set(response, JSON.parse(response.bytes.toString()));
    } catch {
      throw new Broken(`expected JSON, came ${JSON.stringify(response.bytes.toString('utf8', 0, 100))}`);
    }
  }
  return parsed.get(response);
}

/** The elements of a data answer. @throws {Broken} where it is no array of objects */
export function elementsOf(response: ReceivedResponse): Element[] {
  same('status', response.status, 200);
  const body = jsonOf(response);
  const objects = Array.isArray(body) && body.every((element) => typeof element === 'object' && element !== null);
  holds(objects && !body.some(Array.isArray), 'an array of objects', body);
  return body as Element[];
}

/** The elements of a data endpoint as the customer has them. */
export async function elements(deployment: Deployment, path: DataPath): Promise<Element[]> {
  return elementsOf(await deployment.ask({ path }));
}

/** An array of a product, as far as it is one. */
export function nested(product: Element, name: string): Element[] {
  const array = product[name];
  return Array.isArray(array) ? (array as Element[]) : [];
}

/** The numbers in a JSON text by their keys, as they are written: a parser would hide that. */
export function* numbersIn(text: string): Generator<{ key: string; number: string }> {
  for (const [, key, number] of text.matchAll(/"((?:[^"\\]|\\.)*)"(?:\s*:\s*([-+.\d][-+.\deE]*))?/g))
    if (number !== undefined) yield { key: key!, number };
}

/** The answers of all data endpoints, of one state of the content. The contract has three by name. */
export type Catalogue = Readonly<
  Record<DataPath, ReceivedResponse> & Record<'/products' | '/stock' | '/prices', ReceivedResponse>
>;

const catalogues = new WeakMap<Deployment, Map<Caller, Promise<Catalogue>>>();
const ATTEMPTS = 3;

/** What a customer is answered while nothing changes. @throws {NotTestable} where it changes all the time */
export function catalogue(deployment: Deployment, as: Exclude<Caller, 'nobody'> = 'customer'): Promise<Catalogue> {
  const known = catalogues.get(deployment) ?? new Map<Caller, Promise<Catalogue>>();
  catalogues.set(deployment, known);
  const found = known.get(as) ?? settled(deployment, as);
  known.set(as, found);
  return found;
}

async function settled(deployment: Deployment, as: Caller): Promise<Catalogue> {
  const who = as === 'customer' ? {} : { as };
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    // The first time, the answers that other clauses look at will do.
    const get = (path: DataPath) =>
      (attempt === 1 ? deployment.ask : deployment.send).call(deployment, { path, ...who });
    const responses: [DataPath, ReceivedResponse][] = [];
    for (const path of DATA_PATHS) responses.push([path, await get(path)]);
    if (await haveSettled(deployment, who, responses)) return Object.fromEntries(responses) as Catalogue;
  }
  throw new NotTestable('the content changes all the time: run it again between two imports');
}

/** Whether a HEAD of each still has the ETag of the answer. */
async function haveSettled(
  deployment: Deployment,
  who: { as?: Caller },
  responses: readonly [DataPath, ReceivedResponse][],
): Promise<boolean> {
  for (const [path, { headers }] of responses)
    if ((await deployment.send({ path, method: 'HEAD', ...who })).headers.etag !== headers.etag) return false;
  return true;
}

/**
 * @throws {Broken} where these are not the bytes that the endpoint answers
 * @throws {NotTestable} where those have changed meanwhile
 */
export async function sameBytes(deployment: Deployment, path: DataPath, bytes: Buffer): Promise<void> {
  const usual = (await deployment.ask({ path })).bytes;
  const equal = bytes.equals(usual);
  if (!equal && !(await deployment.send({ path })).bytes.equals(usual))
    throw new NotTestable('the content changed meanwhile: run it again between two imports');
  holds(equal, `the usual ${usual.length} bytes of ${path}`, `${bytes.length} others`);
}

/** Elements are in this order: code point by code point (decision 2). */
export function compareCodePoints(one: unknown, other: unknown): number {
  return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)));
}
