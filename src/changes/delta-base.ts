import type { Content, ContentState } from '../download/content.js';
import type { Query } from '../database/query.js';
import { type CustomerTerms, valueOf } from '../scope/customer-scope.js';
import { divisionOf } from '../versions/content-parts.js';
import { countersOf, type LoggedState, partKey, statesOf } from '../versions/change-log.js';
import type { ContentPart } from '../versions/content-versions.js';

/** The parts that changed after the base, each with the counter of the version that the base shows. */
export type DeltaBase = ReadonlyMap<ContentPart, number>;

/** What the log knows of the states that a client names. */
export interface FoundBase {
  /** Undefined: the log leads from none of them to the present. */
  base?: DeltaBase;
  /** Whether one of them has a version that the log does not know. */
  hasUnknown: boolean;
}

/** The parts of a content that a customer sees. null: nothing is assigned, so the customer sees nothing of the part. */
export function partsSeen({ dependsOn }: Content, terms: CustomerTerms): (ContentPart | null)[] {
  return dependsOn.map((part) => {
    const column = divisionOf(part);
    const code = column ? valueOf(column, terms) : '';
    return code === null ? null : { part, code };
  });
}

/**
 * Finds the oldest of the states that a client has. A delta may start from an older state than the client's: it then
 * repeats changes, which does no harm. So the base takes the oldest version of each part.
 * @param present the state that the delta leads to
 */
export async function findBase(
  query: Query,
  parts: readonly (ContentPart | null)[],
  present: ContentState,
  known: readonly ContentState[],
): Promise<FoundBase> {
  const candidates = known.filter(({ versions }) => versions.length === parts.length);
  if (!candidates.length) return { hasUnknown: false };
  const seen = parts.filter((part) => part !== null);
  const states = await statesOf(query, seen);
  const versions = candidates.flatMap((candidate) => candidate.versions).filter((version) => version !== null);
  const counters = await countersOf(query, seen, [...new Set(versions)]);
  let base: Map<ContentPart, number> | undefined;
  let hasUnknown = false;
  for (const candidate of candidates) {
    const since = new Map<ContentPart, number>();
    let isUsable = true;
    for (const [index, part] of parts.entries()) {
      const version = candidate.versions[index] ?? null;
      if (!part || version === present.versions[index]) continue;
      const counter = version === null ? undefined : counters.get(partKey(part))?.get(version);
      if (counter === undefined) hasUnknown = true;
      if (counter !== undefined && leadsFrom(states.get(partKey(part)), counter)) since.set(part, counter);
      else isUsable = false;
    }
    if (isUsable) base = oldest(base, since);
  }
  return { base, hasUnknown };
}

/** Whether the log has every change after the version with this counter. */
function leadsFrom(state: LoggedState | undefined, counter: number): boolean {
  return state !== undefined && state.version === state.loggedVersion && counter >= state.firstCounter;
}

function oldest(one: Map<ContentPart, number> | undefined, other: Map<ContentPart, number>): Map<ContentPart, number> {
  const merged = new Map(one);
  for (const [part, counter] of other) merged.set(part, Math.min(counter, merged.get(part) ?? Infinity));
  return merged;
}
