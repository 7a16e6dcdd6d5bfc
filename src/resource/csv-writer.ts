/** Writes the elements of a resource as rows of CSV (RFC 4180), each with its line break. */
export interface CsvWriter {
  readonly header: string;
  /**
   * Converts an element to a row.
   * @param element JSON text as `jsonWriter` writes it
   * @throws if the JSON does not have exactly these keys in this order
   */
  row(element: string): string;
}

const LINE_BREAK = '\r\n';

/** A value in JSON without spaces between tokens: a string, an array of flat objects, or another scalar. */
const VALUE = /"[^"\\]*(?:\\.[^"\\]*)*"|\[[^"\]]*(?:"[^"\\]*(?:\\.[^"\\]*)*"[^"\]]*)*\]|[^,}]+/y;

/** A cell with one of these is quoted, so that a reader may use any of the usual delimiters. */
const SPECIAL = /[,;\t"\r\n]/;

/** Texts that a spreadsheet would run as a formula, or that look like such a text after it was escaped with `'`. */
const FORMULA = /^'*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/**
 * The places within a text where a reader with another delimiter begins a cell that it would run. Such a reader ignores
 * the quotes of our cell, so its cell may begin with quotes of the text.
 */
const INNER_FORMULA = /[,;\t\r\n](?=["']*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;

/** The same places within JSON, where a character can be escaped without a change of the value. */
const FORMULA_IN_JSON = /[,;](?='*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])./g;

/**
 * Creates the writer for elements with these keys. It reads JSON instead of rows, because documents are stored as JSON. It
 * copies each value as text, because parsing would change some numbers. A library that preserves numbers takes ten times
 * as long.
 */
export function csvWriter(keys: readonly string[], delimiter: string, decimalSign = '.'): CsvWriter {
  const cell = (json: string) => {
    if (json === 'null') return '';
    if (json.startsWith('"')) return textCell(JSON.parse(json) as string);
    if (json.startsWith('[')) return quotedIfSpecial(json.replace(FORMULA_IN_JSON, escapedInJson));
    return decimalSign === '.' ? json : json.replace('.', decimalSign);
  };
  const before = keys.map((key, index) => `${index ? ',' : '{'}${JSON.stringify(key)}:`);
  return {
    header: keys.map(quotedIfSpecial).join(delimiter) + LINE_BREAK,
    row: (element) => valuesOf(element, before).map(cell).join(delimiter) + LINE_BREAK,
  };
}

function textCell(text: string): string {
  if (!text) return '""';
  return quotedIfSpecial(`${FORMULA.test(text) ? "'" : ''}${text.replace(INNER_FORMULA, "$&'")}`);
}

const quotedIfSpecial = (text: string) => (SPECIAL.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const escapedInJson = ([delimiter, first]: string) =>
  `${delimiter}\\u${first!.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Returns the JSON text of each value. @param before the text before each value */
function valuesOf(element: string, before: readonly string[]): string[] {
  let at = 0;
  const values = before.map((text) => {
    VALUE.lastIndex = at + text.length;
    const value = element.startsWith(text, at) && VALUE.exec(element)?.[0];
    if (!value) throw new Error(`The JSON of an element lacks ${text} at the expected place: ${element.slice(0, 80)}`);
    at = VALUE.lastIndex;
    return value;
  });
  if (at !== element.length - 1)
    throw new Error(`The JSON of an element has text after its last key: ${element.slice(0, 80)}`);
  return values;
}
