import { InvalidArgumentError } from 'commander';
import { DAY_MS } from '../database/utc-time.js';

/** Units of a duration, in milliseconds. */
const UNITS = { m: 60_000, h: 3_600_000, d: DAY_MS };

/** Parses an argument such as `90m`, `6h` or `2d`. @returns milliseconds */
export function duration(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,5})([mhd])$/.exec(text) ?? [];
  if (!unit) throw new InvalidArgumentError('Write a duration such as 90m, 6h or 2d.');
  return Number(count) * UNITS[unit as keyof typeof UNITS];
}
