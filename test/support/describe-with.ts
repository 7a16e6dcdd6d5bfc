import { missingPrograms } from './programs.mjs';

/**
 * Declares a group of tests that needs a program. Without the program it is skipped with a title that starts with NOT
 * RUN.
 */
export function describeWith(name: string, title: string, tests: () => void): void {
  const isMissing = missingPrograms().some((program) => program.name === name);
  if (isMissing) describe.skip(`NOT RUN: ${title}, because ${name} is missing`, tests);
  else describe(title, tests);
}
