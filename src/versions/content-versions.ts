import type { Row } from '../database/query.js';
import { timeOrNull } from '../database/utc-time.js';
import { divisionOf, PART_NAMES, type PartName } from './content-parts.js';

/** Content with its own version: all products, the prices of a price list, or the stock of a warehouse. */
export interface ContentPart {
  part: PartName;
  /** The value that divides the part, such as the code of a price list. Empty if the part is not divided. */
  code: string;
}

/** The version of each part that a customer sees. null if the part never had content. */
export type PartVersions = Readonly<Record<PartName, string | null>>;

/** When the last change of each part was committed. null if it is unknown. */
export type PartTimes = Readonly<Record<PartName, Date | null>>;

/** The SELECT list for {@link partVersions}. */
export const SELECT_VERSIONS = PART_NAMES.map((part) => `${part}Part.Version AS ${part}Version`).join(', ');

/** The SELECT list for {@link partTimes}. */
export const SELECT_TIMES = PART_NAMES.map((part) => `${part}Part.ChangedAt AS ${part}ChangedAt`).join(', ');

/** SQL that joins the versions and times of all parts to a row of `customers`. */
export const JOIN_PARTS = PART_NAMES.map((part) => {
  const column = divisionOf(part);
  return `LEFT JOIN content_versions ${part}Part
    ON ${part}Part.Part = '${part}' AND ${part}Part.Code = ${column ? `customers.${column}` : "''"}`;
}).join(' ');

/** Returns the versions in a row that selects {@link SELECT_VERSIONS}. */
export function partVersions(row: Row): PartVersions {
  return Object.fromEntries(PART_NAMES.map((part) => [part, row[`${part}Version`]])) as PartVersions;
}

/** Returns the times in a row that selects {@link SELECT_TIMES}. */
export function partTimes(row: Row): PartTimes {
  return Object.fromEntries(PART_NAMES.map((part) => [part, timeOrNull(row[`${part}ChangedAt`])])) as PartTimes;
}
