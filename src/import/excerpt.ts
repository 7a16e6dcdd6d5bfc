/** Shortens a text for a message: one line of at most 40 characters. */
export function excerpt(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 40 ? `${line.slice(0, 40).replace(/[\uD800-\uDBFF]$/, '')}…` : line;
}

/** The excerpt in quotes. */
export function quoted(text: string): string {
  return `"${excerpt(text)}"`;
}

/** Control characters, bidirectional controls, line separators of Unicode and lone surrogates. */
const INVISIBLE = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Surrogate}]/gu;

/** Makes untrusted text safe for a terminal, on one line: control characters appear as `\u{1b}`. */
export function visible(text: string): string {
  return text.replace(INVISIBLE, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

/** Makes untrusted text safe for a terminal and keeps its line breaks. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n');
}
