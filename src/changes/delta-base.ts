import type { Content, ContentState } from '../download/content.js';
import type { Query } from '../database/query.js';
import { type CustomerTerms, valueOf } from '../scope/customer-scope.js';
import { divisionOf } from '../versions/content-parts.js';
import { knownStates, type LoggedState, type PartBase, partKey } from '../versions/change-log.js';
import type { ContentPart } from '../versions/content-versions.js';

/** The parts that changed after the base, each with the version that the base shows. */
export type DeltaBase = readonly PartBase[];

/** The parts of a content that a customer sees. null: nothing is assigned, so the customer sees nothing of the part. */
export function partsSeen({ dependsOn }: Content, terms: CustomerTerms): (ContentPart | null)[] {
  return dependsOn.map((part) => {
    const column = divisionOf(part);
    const code = column ? valueOf(column, terms) : '';
    return code === null ? null : { part, code };
  });
}

/**
 * Finds the base of a delta that leads from each of the states to the present state. The base has the oldest version of
 * each part. If it is older than the state of the client, the delta repeats some changes, which does no harm.
 * @param parts the parts that the customer sees, in the order of the versions
 * @returns `unknown` if the history lacks a version, `not covered` if the log does not lead from it to the present
 */
export async function findBase(
  query: Query,
  parts: readonly (ContentPart | null)[],
  present: ContentState,
  known: readonly ContentState[],
): Promise<DeltaBase | 'unknown' | 'not covered'> {
  const changed: { part: ContentPart; version: string | null }[] = [];
  for (const { versions } of known) {
    if (versions.length !== parts.length) return 'not covered';
    for (const [index, part] of parts.entries())
      if (part && versions[index] !== present.versions[index]) changed.push({ part, version: versions[index] ?? null });
  }
  const seen = [...new Map(changed.map(({ part }) => [partKey(part), part])).values()];
  const named = [...new Set(changed.flatMap(({ version }) => version ?? []))];
  const found = await knownStates(query, seen, named);
  const base = new Map<string, PartBase>();
  for (const { part, version } of changed) {
    // The part was empty at that time. Its first version starts the log.
    if (version === null) return 'not covered';
    const { state, counters } = found.get(partKey(part)) ?? {};
    const counter = counters?.get(version);
    if (!state || counter === undefined) return 'unknown';
    if (!leadsFrom(state, counter)) return 'not covered';
    const [, earlier] = base.get(partKey(part)) ?? [part, Infinity];
    base.set(partKey(part), [part, Math.min(counter, earlier)]);
  }
  return [...base.values()];
}

/** Whether the log has every change after the version with this counter. */
function leadsFrom(state: LoggedState, counter: number): boolean {
  return state.isLogged && counter >= state.firstCounter && counter < state.counter;
}
