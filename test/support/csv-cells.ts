import { parse } from 'csv-parse/sync';

/** Removes the apostrophes that prevent spreadsheets from running a text as a formula (interface §10.3). */
export const undone = (cell: string) =>
  cell.replace(
    /^'(?='*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20])|(?<=[,;\t\r\n])'(?=["']*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g,
    '',
  );

/** Parses a CSV body into its header and the cells of each row by column. */
export function csvRows(body: string, delimiter = ','): { header: string[]; rows: Record<string, string>[] } {
  const [header, ...rows] = parse(body, { bom: true, delimiter, record_delimiter: '\r\n' }) as [
    string[],
    ...string[][],
  ];
  return {
    header,
    rows: rows.map((cells) => Object.fromEntries(header.map((key, index) => [key, undone(cells[index]!)]))),
  };
}

/**
 * Returns the expected cells of an element.
 * @param element the JSON text of each value, by key
 */
export function cellsOf(element: Record<string, string>, decimalSign = '.'): Record<string, string> {
  const cells = Object.entries(element).map(([key, json]) => {
    if (json === 'null') return [key, ''];
    if (json.startsWith('"')) return [key, JSON.parse(json) as string];
    return [key, json.startsWith('[') ? json : json.replace('.', decimalSign)];
  });
  return Object.fromEntries(cells);
}
