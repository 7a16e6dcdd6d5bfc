/** A text as messages show it: on one line, and not all of it where it is long. */
export function excerpt(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 40 ? `${line.slice(0, 40).replace(/[\uD800-\uDBFF]$/, '')}…` : line;
}

/** The same within quotes. */
export function quoted(text: string): string {
  return `"${excerpt(text)}"`;
}

/** What a terminal obeys instead of showing it, or that turns the order of a line around; and halves of characters. */
const INVISIBLE = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Surrogate}]/gu;

/** A text of others as a terminal may print it, on one line: what it would obey stands there as `\u{1b}`. */
export function visible(text: string): string {
  return text.replace(INVISIBLE, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

/** The same on as many lines as it has. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n');
}
