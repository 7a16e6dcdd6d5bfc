/** Joins the key of a row into one text. The separator is NUL, which no value contains. */
export function keyText(values: readonly unknown[]): string {
  return values.join('\0');
}
