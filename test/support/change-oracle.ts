import { call } from './http-call.js';
import type { TestService } from './test-service.js';

const LINES = { Accept: 'application/x-ndjson' };

/** The data that a client stores for a path: the text of each element by its SKU, and the tag that names this state. */
export interface KeptState {
  etag: string;
  elements: ReadonlyMap<string, string>;
}

/** A delta as a client reads it. */
export interface ReceivedDelta {
  etag: string;
  complete: boolean;
  changed: ReadonlyMap<string, string>;
  gone: readonly string[];
}

/** The whole current response of the path. */
export async function wholeState(service: TestService, path: string, token: string): Promise<KeptState> {
  const { status, headers, body } = await call(service.url, { path, token, headers: LINES });
  if (status !== 200) throw new Error(`${path} returned ${status}: ${body}`);
  return { etag: headers.etag!, elements: bySku(body.split('\n').slice(0, -1)) };
}

/** The changes since the base. @returns undefined if nothing has changed */
export async function deltaSince(
  service: TestService,
  path: string,
  token: string,
  ...bases: string[]
): Promise<ReceivedDelta | undefined> {
  const headers = { ...LINES, ...(bases.length ? { 'If-None-Match': bases.join(', ') } : {}) };
  const response = await call(service.url, { path: `${path}/changes`, token, headers });
  if (response.status === 304) return undefined;
  const { status, body } = response;
  const lines = body.split('\n').slice(0, -1);
  const [first, last] = [JSON.parse(lines.shift() ?? '{}'), lines.pop()];
  if (status !== 200 || last !== '{"End":true}' || first.ETag !== response.headers.etag)
    throw new Error(`${path}/changes returned ${status}: ${body}`);
  const changed = lines.filter((line) => line.startsWith('{"Changed":')).map((line) => line.slice(11, -1));
  const gone = lines.filter((line) => line.startsWith('{"Gone":')).map((line) => JSON.parse(line).Gone as string);
  if (changed.length + gone.length !== lines.length) throw new Error(`${path}/changes has other lines: ${body}`);
  return { etag: first.ETag, complete: first.Complete, changed: bySku(changed), gone };
}

/** The data of a client after it has applied a delta, as the guide describes. */
export function applied(kept: KeptState, delta: ReceivedDelta | undefined): KeptState {
  if (!delta) return kept;
  const elements = new Map(delta.complete ? [] : kept.elements);
  for (const [sku, text] of delta.changed) elements.set(sku, text);
  for (const sku of delta.gone) elements.delete(sku);
  return { etag: delta.etag, elements };
}

/** The elements sorted by SKU, because clients receive them in different orders. */
export function sorted({ elements }: KeptState): [string, string][] {
  return [...elements].toSorted(([one], [other]) => (one < other ? -1 : 1));
}

function bySku(texts: readonly string[]): Map<string, string> {
  const elements = new Map(texts.map((text) => [JSON.parse(text).SKU as string, text]));
  if (elements.size !== texts.length) throw new Error('Two elements have the same SKU');
  return elements;
}
