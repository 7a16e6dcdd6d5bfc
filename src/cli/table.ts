import { visible } from '../import/excerpt.js';

/** Formats rows as text, with each column aligned under its header. */
export function table(headers: readonly string[], given: readonly (readonly string[])[]): string {
  const rows = given.map((row) => row.map(visible));
  const widths = headers.map((header, column) => Math.max(header.length, ...rows.map((row) => row[column]!.length)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd();
  return [headers, ...rows].map(line).join('\n');
}
