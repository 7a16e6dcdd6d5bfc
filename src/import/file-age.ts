const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/**
 * The reason why `--max-age` refuses a file; undefined if it does not. It also refuses a modification time that is
 * further than `maxAgeMs` in the future, because such a file would count as new until then.
 * @param modifiedAt milliseconds since 1970; undefined for standard input and pipes
 */
export function ageProblem(modifiedAt: number | undefined, maxAgeMs: number, now: number): string | undefined {
  if (modifiedAt === undefined)
    return 'it has no modification time, which --max-age needs; name a file, or leave out --max-age';
  const age = now - modifiedAt;
  if (Math.abs(age) <= maxAgeMs) return undefined;
  const time = new Date(modifiedAt).toISOString();
  const limit = `--max-age allows ${duration(maxAgeMs)}`;
  if (age < 0)
    return `the file is dated ${time}, ${duration(-age)} in the future; check the clock of the system that wrote it (${limit})`;
  return `the file was last modified ${duration(age)} ago, at ${time}, and ${limit}; deliver a new file`;
}

/**
 * A duration in minutes or hours. It is rounded up, so that an age above the limit is never shown as equal to the
 * limit.
 */
function duration(ms: number): string {
  const [unit, name] = ms < 2 * HOUR_MS ? [MINUTE_MS, 'min'] : [HOUR_MS, 'h'];
  return `${Math.ceil((ms / unit) * 10) / 10} ${name}`;
}
