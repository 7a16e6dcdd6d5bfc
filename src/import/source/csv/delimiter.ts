/** The delimiters that are detected. If a header contains none of them, the first delimiter applies. */
const DELIMITERS: readonly string[] = [',', ';', '\t', '|'];

/** Returns what is wrong with a delimiter that an operator chose, or undefined. */
export function delimiterProblem(text: string): string | undefined {
  if (text === 'tab' || ([...text].length === 1 && !/["\r\n]/.test(text))) return undefined;
  return 'must be one character, such as , ; or |, but not a quote; write tab for a tab';
}

/** Whether the text contains the whole header, including the line break at its end. */
export function hasHeader(text: string): boolean {
  return /[\r\n]/.test(outsideQuotes(text));
}

/** Returns the most frequent delimiter in the header, the first line that is not blank. */
export function detectDelimiter(text: string): string {
  const [header = ''] = outsideQuotes(text).split(/[\r\n]/);
  const counts = DELIMITERS.map((delimiter) => header.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))]!;
}

/** Removes leading blank lines, and replaces each quoted text by one quote. */
function outsideQuotes(text: string): string {
  return text.replace(/^[\r\n]+/, '').replace(/"[^"]*("|$)/g, '"');
}
