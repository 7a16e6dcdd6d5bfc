/** In the order in which they are preferred where a header has none. */
const DELIMITERS: readonly string[] = [',', ';', '\t', '|'];

/** What is wrong with a delimiter that an operator chose. */
export function delimiterProblem(text: string): string | undefined {
  if (text === 'tab' || ([...text].length === 1 && !/["\r\n]/.test(text))) return undefined;
  return 'has to be one character, such as , ; or |, and no quote; write tab for a tab';
}

/** Whether the text holds all of the header, that is a line break that ends it. */
export function hasHeader(text: string): boolean {
  return /[\r\n]/.test(outsideQuotes(text));
}

/** The delimiter that stands most often in the header, which is the first line that is not blank. */
export function detectDelimiter(text: string): string {
  const [header = ''] = outsideQuotes(text).split(/[\r\n]/);
  const counts = DELIMITERS.map((delimiter) => header.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))]!;
}

/** The text from its first line that is not blank, with quotes for quoted cells. */
function outsideQuotes(text: string): string {
  return text.replace(/^[\r\n]+/, '').replace(/"[^"]*("|$)/g, '"');
}
