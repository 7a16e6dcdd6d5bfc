import { InvalidArgumentError } from 'commander';

/** Parses an argument that is a whole number above 0. */
export function positive(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('It must be a whole number above 0.');
  return Number(text);
}
