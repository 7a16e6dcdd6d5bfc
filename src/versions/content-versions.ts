import type { Row } from '../database/query.js';
import { timeOrNull } from '../database/utc-time.js';
import { divisionOf, PART_NAMES, type PartName } from './content-parts.js';

/** Content with its own version: all products, the prices of a price list, or the stock of a warehouse. */
export interface ContentPart {
  part: PartName;
  /** The value that divides the part, such as the code of a price list. Empty if the part is not divided. */
  code: string;
}

/** The state of a part after its last committed change. */
interface PartState {
  readonly version: string;
  /** The time of that change. null if it is unknown. */
  readonly changedAt: Date | null;
}

/** The states of all parts that a customer sees. null if the part never had content. */
export type PartStates = Readonly<Record<PartName, PartState | null>>;

/** The SELECT list for {@link partStates}. */
export const SELECT_PARTS = PART_NAMES.map(
  (part) => `${part}Part.Version AS ${part}Version, ${part}Part.ChangedAt AS ${part}ChangedAt`,
).join(', ');

/** SQL that joins the states of all parts to a row of `customers`. */
export const JOIN_PARTS = PART_NAMES.map((part) => {
  const column = divisionOf(part);
  return `LEFT JOIN content_versions ${part}Part
    ON ${part}Part.Part = '${part}' AND ${part}Part.Code = ${column ? `customers.${column}` : "''"}`;
}).join(' ');

/** Returns the states in a row that selects {@link SELECT_PARTS}. */
export function partStates(row: Row): PartStates {
  return Object.fromEntries(PART_NAMES.map((part) => [part, partState(row, part)])) as PartStates;
}

function partState(row: Row, part: PartName): PartState | null {
  const version = row[`${part}Version`];
  if (version === null) return null;
  return {
    version: version as string,
    // Parsed on use: a 304, the most frequent response, does not show this time.
    get changedAt() {
      return timeOrNull(row[`${part}ChangedAt`]);
    },
  };
}
