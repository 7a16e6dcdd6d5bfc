/** The announcement that an endpoint will be removed. It sets headers, and marks the paths in the OpenAPI document. */
export interface Deprecation {
  /** The day of the announcement, such as `2027-01-15`. */
  since: string;
  /** The day on which the endpoint may disappear, at least {@link NOTICE_MONTHS} after `since`. */
  sunset: string;
  /** URL of a page that customers can read. It shows what to use instead. */
  link: string;
}

/** How long customers have to change their clients (docs/integration/versioning.md). */
const NOTICE_MONTHS = 12;

/**
 * Returns the headers of RFC 9745 and RFC 8594.
 * @throws if the declaration breaks the promise to customers
 */
export function deprecationHeaders(path: string, { since, sunset, link }: Deprecation): Record<string, string> {
  const [from, until] = [dayOf(path, since), dayOf(path, sunset)];
  const earliest = new Date(from);
  earliest.setUTCMonth(earliest.getUTCMonth() + NOTICE_MONTHS);
  if (until < earliest)
    throw new Error(
      `${path}: the sunset ${sunset} is less than ${NOTICE_MONTHS} months after ${since}. ` +
        `Name ${earliest.toISOString().slice(0, 10)} or a later day.`,
    );
  if (!link.startsWith('https://') || !URL.canParse(link))
    throw new Error(`${path}: the link "${link}" of the deprecation is not a URL that starts with https://.`);
  return {
    Deprecation: `@${from.getTime() / 1000}`,
    Sunset: until.toUTCString(),
    Link: `<${new URL(link).href}>; rel="deprecation"; type="text/html"`,
  };
}

/** Returns midnight in UTC. */
function dayOf(path: string, text: string): Date {
  const day = new Date(`${text}T00:00:00Z`);
  if (Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== text)
    throw new Error(`${path}: "${text}" in the deprecation is not a day: write it as 2027-01-15.`);
  return day;
}
