import type { Row } from '../database/query.js';
import { timeOrNull } from '../database/utc-time.js';
import { divisionOf, PART_NAMES, type PartName } from './content-parts.js';

/** What has a version of its own: all products, the prices of a list, the stock of a warehouse. */
export interface ContentPart {
  part: PartName;
  /** The value that divides the part, such as the code of a price list; '' for a part that is not divided. */
  code: string;
}

/** A part as its last committed change left it. */
interface PartState {
  readonly version: string;
  /** When that change was made; null: unknown. */
  readonly changedAt: Date | null;
}

/** The states of all parts that a customer sees; null: nothing was ever in the part. */
export type PartStates = Readonly<Record<PartName, PartState | null>>;

/** What a SELECT lists for {@link partStates}. */
export const SELECT_PARTS = PART_NAMES.map(
  (part) => `${part}Part.Version AS ${part}Version, ${part}Part.ChangedAt AS ${part}ChangedAt`,
).join(', ');

/** Joins the states of all parts to a row of `customers`. */
export const JOIN_PARTS = PART_NAMES.map((part) => {
  const column = divisionOf(part);
  return `LEFT JOIN content_versions ${part}Part
    ON ${part}Part.Part = '${part}' AND ${part}Part.Code = ${column ? `customers.${column}` : "''"}`;
}).join(' ');

/** The states from a row that selects {@link SELECT_PARTS}. */
export function partStates(row: Row): PartStates {
  const states = PART_NAMES.map((part) => {
    const [version, changedAt] = [row[`${part}Version`], row[`${part}ChangedAt`]];
    return [part, version === null ? null : { version: version as string, changedAt: timeOrNull(changedAt) }];
  });
  return Object.fromEntries(states) as PartStates;
}
