/** A text as messages show it: on one line, and not all of it where it is long. */
export function excerpt(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 40 ? `${line.slice(0, 40)}…` : line;
}

/** The same within quotes. */
export function quoted(text: string): string {
  return `"${excerpt(text)}"`;
}
