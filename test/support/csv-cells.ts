import { parse } from 'csv-parse/sync';

/** How a client undoes what keeps a spreadsheet from taking a text for a formula (interface §10.3). */
export const undone = (cell: string) => cell.replace(/^'(?='*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20])/, '');

/** A body of CSV as its reader has it: the header, and the cells of each row by it. */
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

/** What the cells of an element must be. @param element the JSON text of each value, by key */
export function cellsOf(element: Record<string, string>): Record<string, string> {
  const cells = Object.entries(element).map(([key, json]) => {
    if (json === 'null') return [key, ''];
    return [key, json.startsWith('"') ? (JSON.parse(json) as string) : json];
  });
  return Object.fromEntries(cells);
}
