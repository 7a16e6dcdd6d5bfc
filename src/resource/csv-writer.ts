/** Writes the elements of a resource as rows of CSV (RFC 4180), each with its line break. */
export interface CsvWriter {
  readonly header: string;
  /**
   * @param element its JSON, as `jsonWriter` writes it
   * @throws if that has not these keys in this order
   */
  row(element: string): string;
}

const LINE_BREAK = '\r\n';

/** A value within JSON that has no spaces between its tokens: a text, an array of flat objects, or something plain. */
const VALUE = /"[^"\\]*(?:\\.[^"\\]*)*"|\[[^"\]]*(?:"[^"\\]*(?:\\.[^"\\]*)*"[^"\]]*)*\]|[^,}]+/y;

/** Texts that a spreadsheet takes for a formula, or that look as if they had been one before they were made safe. */
const FORMULA = /^'*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/**
 * The writer for elements of these keys. It reads JSON rather than rows, because documents are stored as JSON, and value
 * by value, because parsing numbers would change some of them, and keeping them by a library takes ten times as long.
 */
export function csvWriter(keys: readonly string[], delimiter: string): CsvWriter {
  const special = new RegExp(`[${delimiter}"\r\n]`);
  const escaped = (text: string) => (special.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const cell = (json: string) => {
    if (json === 'null') return '';
    if (!json.startsWith('"')) return escaped(json);
    const text = JSON.parse(json) as string;
    if (!text) return '""';
    return escaped(FORMULA.test(text) ? `'${text}` : text);
  };
  const before = keys.map((key, index) => `${index ? ',' : '{'}${JSON.stringify(key)}:`);
  return {
    header: keys.map(escaped).join(delimiter) + LINE_BREAK,
    row: (element) => valuesOf(element, before).map(cell).join(delimiter) + LINE_BREAK,
  };
}

/** @param before what stands before each value */
function valuesOf(element: string, before: readonly string[]): string[] {
  let at = 0;
  const values = before.map((text) => {
    VALUE.lastIndex = at + text.length;
    const value = element.startsWith(text, at) && VALUE.exec(element)?.[0];
    if (!value) throw new Error(`The JSON of an element has no ${text} where it belongs: ${element.slice(0, 80)}`);
    at = VALUE.lastIndex;
    return value;
  });
  if (at !== element.length - 1)
    throw new Error(`The JSON of an element has more than its keys: ${element.slice(0, 80)}`);
  return values;
}
