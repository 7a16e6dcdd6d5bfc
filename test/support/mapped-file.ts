import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CellError, parseCell } from '../../src/import/cell.js';
import { InputFile } from '../../src/import/source/input-file.js';
import { mappedSources } from '../../src/import/source/mapped/mapped-source.js';
import type { Mapping } from '../../src/import/source/map/mapping.js';
import { type ReadingOptions, SourceFault, type TableSource } from '../../src/import/source/table-source.js';

/** The result of reading a file with a column map. */
export interface MappedContent {
  /** The rows of each table as they would be stored: `column: value`. Columns without a value are missing. */
  tables: Record<string, Record<string, unknown>[]>;
  /** The problems as an import prints them. */
  problems: string[];
  notes: string[];
}

/** Reads a file of another system with a column map, as an import does. */
export async function readMapped(
  path: string,
  mapping: Mapping,
  options: Partial<ReadingOptions> = {},
): Promise<MappedContent> {
  const file = await InputFile.at(path);
  const mapped = mappedSources(file, mapping, options);
  const content: MappedContent = { tables: {}, problems: [], notes: [] };
  for (const source of mapped.sources) content.tables[source.table.name] = await readRows(source, content.problems);
  content.notes = mapped.notes();
  return content;
}

/** Reads a text with a column map. */
export async function readMappedText(text: string, mapping: Mapping, options: Partial<ReadingOptions> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'mapped-'));
  try {
    await writeFile(join(folder, 'export.csv'), text);
    return await readMapped(join(folder, 'export.csv'), mapping, options);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function readRows(source: TableSource, problems: string[]): Promise<Record<string, unknown>[]> {
  const report = (line: number, column: string, message: string) =>
    void problems.push([`${source.file}:${line}`, ...(column ? [column] : []), message].join(': '));
  const rows: Record<string, unknown>[] = [];
  try {
    for await (const chunk of source.rows(report))
      for (const { line, cells, block } of chunk) {
        const row: Record<string, unknown> = {};
        for (const [index, column] of source.columns.entries()) {
          const value = valueOf(cells[index]!, column, (message) => report(line, source.label(column, block), message));
          if (value !== null) row[column.name] = value;
        }
        rows.push(row);
      }
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
    report(error.line, error.column, error.message);
  }
  return rows;
}

function valueOf(cell: string | CellError, column: TableSource['columns'][number], report: (message: string) => void) {
  try {
    if (cell instanceof CellError) throw cell;
    return parseCell(cell, column);
  } catch (error) {
    if (!(error instanceof CellError)) throw error;
    report(error.message);
    return null;
  }
}
