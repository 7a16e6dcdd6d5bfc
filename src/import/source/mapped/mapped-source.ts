import type { FieldDeclaration } from '../../../resource/field.decorator.js';
import { excerpt } from '../../excerpt.js';
import type { ImportTable } from '../../import-tables.js';
import type { InputFile } from '../input-file.js';
import { cellsOf, present, type Rule, valueHeadersOf } from '../map/mapping-rule.js';
import { type ColumnMapping, makesOneRow, type Mapping, type TableMapping, usesOfHeaders } from '../map/mapping.js';
import {
  type ReportProblem,
  type ReadingOptions,
  SourceFault,
  type SourceRow,
  type TableSource,
} from '../table-source.js';
import { ForeignFile } from './foreign-file.js';
import { MappedRows } from './mapped-rows.js';

/** The number of unused headers that a note names. */
const MAX_LISTED = 20;

/** The number of records whose rows are in memory at once. A map may make much longer texts than the file has. */
const PORTION = 100;

/** A file of another system, read with a column map. */
export interface MappedFile {
  /** One source for each table of the map. */
  readonly sources: readonly TableSource[];
  /** Skipped rows and unused headers, one line each. Call it after all sources were read. */
  notes(): string[];
  /** Returns the reason if the file gave no rows, else undefined. Call it after all sources were read. */
  whyEmpty(): string | undefined;
}

/**
 * Reads a CSV file of another system with a column map.
 * @param reading options of the command, which override the map
 */
export function mappedSources(input: InputFile, mapping: Mapping, reading: Partial<ReadingOptions>): MappedFile {
  const file = new ForeignFile(input, mapping, reading);
  const tables = [...new Set(mapping.tables.map(({ table }) => table))];
  const sources = tables.map((table) => new MappedSource(table, mapping, file));
  const notes = () => [...skippedNotes(sources), ...unusedNotes(file)].map((note) => `${input.name}: ${note}`);
  return { sources, notes, whyEmpty: () => (file.hasBadLines ? undefined : whyEmpty(sources)) };
}

function skippedNotes(sources: readonly MappedSource[]): string[] {
  const tables = new Map<number, string[]>();
  for (const source of sources)
    tables.set(source.skippedRecords, [...(tables.get(source.skippedRecords) ?? []), source.table.name]);
  tables.delete(0);
  return [...tables].map(([count, names]) => `the map skips ${count} row(s) for ${names.join(', ')}`);
}

function unusedNotes({ header }: ForeignFile): string[] {
  const headers = header.unused();
  if (!headers.length) return [];
  const more = headers.length > MAX_LISTED ? `, … and ${headers.length - MAX_LISTED} more` : '';
  return [`headers that the map does not use: ${headers.slice(0, MAX_LISTED).map(excerpt).join(', ')}${more}`];
}

/** If the map has products, the file must give products: rows for other tables alone do not count. */
function whyEmpty(sources: readonly MappedSource[]): string | undefined {
  const read = sources.filter(({ partial, isRead }) => !partial && isRead);
  const products = read.filter(({ table }) => table.name === 'products');
  const relevant = products.length ? products : read;
  if (!relevant.length || !relevant.every(({ gaveNoRows }) => gaveNoRows)) return undefined;
  const rows = relevant[0]!.records;
  const reason = rows ? `the map skips all ${rows} rows` : 'there is no row after the header';
  return `${reason}, so there is nothing for ${relevant.map(({ table }) => table.name).join(', ')}; check that this is the right file with all of its rows; if it is, pass --allow-empty`;
}

class MappedSource implements TableSource {
  readonly file: string;
  /** A table that consists of constants gives one row. The file does not describe its other rows. */
  readonly partial: boolean;
  /** The number of records of the file in the latest reading. */
  records = 0;
  /** The number of these records that the map skipped. */
  skippedRecords = 0;
  /** Whether the file was read to its end. */
  isRead = false;
  private blocks: readonly TableMapping[];
  private readonly skipped: ReadonlySet<string>;
  private hasBegun = false;

  constructor(
    readonly table: ImportTable,
    private readonly mapping: Mapping,
    private readonly input: ForeignFile,
  ) {
    this.file = input.name;
    this.blocks = mapping.tables.filter((block) => block.table === table);
    this.partial = this.blocks.every(({ columns }) => makesOneRow(columns));
    this.skipped = headersSkippedIfEmpty(mapping);
  }

  get columns(): readonly FieldDeclaration[] {
    return this.blocks[0]!.columns.map(({ column }) => column);
  }

  tablesWithKey(header: string): string[] {
    const isFrom = (rule: Rule) =>
      cellsOf(rule).some(({ from, rows }) => from.includes(header) && rows.every((row) => row === 'this'));
    const found = this.mapping.tables.filter(({ columns }) =>
      columns.some(({ column, rule }) => column.primary && isFrom(rule)),
    );
    return [...new Set(found.map(({ table }) => table.name))];
  }

  /** Whether the map skipped all rows of the file. */
  get gaveNoRows(): boolean {
    return this.skippedRecords === this.records;
  }

  label(column: FieldDeclaration, block?: number): string {
    const headers = this.headersOf(column, block).map((header) => this.input.header.spelling(header));
    return `${headers.join(', ') || 'constant'} (${this.table.name}.${column.name})`;
  }

  origin(column: FieldDeclaration): readonly string[] {
    return this.headersOf(column);
  }

  private headersOf(column: FieldDeclaration, block?: number): string[] {
    const blocks = block === undefined ? this.blocks : [this.blocks[block]!];
    const rules = blocks.flatMap(({ columns }) => columns.filter((mapped) => mapped.column === column));
    return [...new Set(rules.flatMap(({ rule }) => valueHeadersOf(rule)))];
  }

  async begin(report: ReportProblem): Promise<boolean> {
    this.hasBegun = true;
    if (this.partial) return true;
    await this.input.open();
    const has = (header: string) => this.input.header.has(header);
    const blocks = this.blocks.map((block) => ({ ...block, columns: presentColumns(block.columns, has) }));
    this.input.header.check(new Set(blocks.flatMap((block) => [...usesOfHeaders(block).keys()])), report);
    this.refuseMissing(blocks);
    this.blocks = blocks;
    return true;
  }

  async *rows(report: ReportProblem): AsyncGenerator<SourceRow[]> {
    if (!this.hasBegun) await this.begin(report);
    const blocks = this.blocks.map((block, index) => ({ block, index }));
    const constant = blocks.filter(({ block }) => makesOneRow(block.columns));
    const lookups = this.partial ? undefined : await this.input.lookups();
    const make = ({ block, index }: (typeof blocks)[number]) =>
      new MappedRows(block, index, this.input, lookups, this.skipped, (line, column, message) =>
        report(line, this.label(column, index), message),
      );
    if (constant.length) yield constant.flatMap((one) => make(one).rowsOf({ line: 1, cells: [] }));
    const made = blocks.filter((one) => !constant.includes(one)).map(make);
    this.records = this.skippedRecords = 0;
    if (made.length)
      for await (const records of this.input.records(report))
        for (let start = 0; start < records.length; start += PORTION) {
          const portion = records.slice(start, start + PORTION);
          const rows = portion.flatMap((record) =>
            made.length === 1 ? made[0]!.rowsOf(record) : made.flatMap((block) => block.rowsOf(record)),
          );
          this.records += portion.length;
          this.skippedRecords = Math.min(...made.map((block) => block.skippedRecords));
          if (rows.length) yield rows;
        }
    this.isRead = true;
  }

  /** @throws {SourceFault} if the file lacks a column that is required or that other blocks have */
  private refuseMissing(blocks: readonly TableMapping[]): void {
    const given = blocks.map(({ columns }) => new Set(columns.map(({ column }) => column)));
    for (const [index, { columns }] of this.blocks.entries())
      for (const { column, rule } of columns) {
        const isNeeded = isRequired(column, rule) || given.some((some) => some.has(column));
        if (!isNeeded || given[index]!.has(column)) continue;
        const headers = [...new Set(valueHeadersOf(rule))].join(', ');
        throw new SourceFault(
          this.input.header.line,
          `missing column: the file has none of these headers, but ${column.name} needs one`,
          headers,
        );
      }
  }
}

/** Returns the columns that the file has. */
function presentColumns(columns: readonly ColumnMapping[], has: (header: string) => boolean): ColumnMapping[] {
  return columns.flatMap(({ column, rule }) => {
    const left = present(rule, has);
    return left ? [{ column, rule: left }] : [];
  });
}

function isRequired(column: FieldDeclaration, rule: Rule): boolean {
  return Boolean(column.primary) || column.nullable === false || cellsOf(rule).some(({ required }) => required);
}

/** Returns the headers of the products' `skip` that match empty cells: a row with such a cell is not a product. */
function headersSkippedIfEmpty({ tables }: Mapping): ReadonlySet<string> {
  const products = tables.filter(({ table }) => table.name === 'products');
  return new Set(products.flatMap(({ skip }) => skip.filter(([, texts]) => texts.has('')).map(([header]) => header)));
}
