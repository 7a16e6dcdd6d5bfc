import type { FieldDeclaration } from '../../../resource/field.decorator.js';
import { excerpt } from '../../excerpt.js';
import type { ImportTable } from '../../import-tables.js';
import type { InputFile } from '../input-file.js';
import { cellsOf, present, type Rule, valueHeadersOf } from '../map/mapping-rule.js';
import { type ColumnMapping, makesOneRow, type Mapping, type TableMapping, usesOfHeaders } from '../map/mapping.js';
import { type ReportProblem, type ReadingOptions, SourceFault, type SourceRow, type TableSource } from '../table-source.js';
import { ForeignFile } from './foreign-file.js';
import { MappedRows } from './mapped-rows.js';

/** So many headers that the map does not use are named. */
const LISTED = 20;

/** A map may make much longer texts than it reads: the rows of this many records are in memory at once. */
const PORTION = 100;

/** What a file of another system gives, read by a map. */
export interface MappedFile {
  /** One for each table of the map. */
  readonly sources: readonly TableSource[];
  /** What the sources passed over on purpose when they were read, a line each. */
  notes(): string[];
  /** Why the file is of no use, if no row of it came through. To be asked after all sources were read. */
  whyEmpty(): string | undefined;
}

/**
 * Reads a CSV file of another system as a map says.
 * @param reading what the command says; it overrides the map
 */
export function mappedSources(input: InputFile, mapping: Mapping, reading: Partial<ReadingOptions>): MappedFile {
  const file = new ForeignFile(input, mapping, reading);
  const tables = [...new Set(mapping.tables.map(({ table }) => table))];
  const sources = tables.map((table) => new MappedSource(table, mapping, file));
  const notes = () => [...passedOver(sources), ...unused(file)].map((note) => `${input.name}: ${note}`);
  return { sources, notes, whyEmpty: () => (file.hasBadLines ? undefined : whyEmpty(sources)) };
}

function passedOver(sources: readonly MappedSource[]): string[] {
  const tables = new Map<number, string[]>();
  for (const source of sources)
    tables.set(source.passedOver, [...(tables.get(source.passedOver) ?? []), source.table.name]);
  tables.delete(0);
  return [...tables].map(([count, names]) => `${count} row(s) passed over, as the map says, for ${names.join(', ')}`);
}

function unused({ header }: ForeignFile): string[] {
  const headers = header.unused();
  if (!headers.length) return [];
  const more = headers.length > LISTED ? `, … and ${headers.length - LISTED} more` : '';
  return [`headers that the map does not use: ${headers.slice(0, LISTED).map(excerpt).join(', ')}${more}`];
}

/** A map for products is for a file of products: it is not enough that other tables get rows. */
function whyEmpty(sources: readonly MappedSource[]): string | undefined {
  const read = sources.filter(({ partial, isRead }) => !partial && isRead);
  const decisive = read.filter(({ table }) => table.name === 'products');
  const asked = decisive.length ? decisive : read;
  if (!asked.length || !asked.every(({ gaveNothing }) => gaveNothing)) return undefined;
  const rows = asked[0]!.records;
  const what = rows ? `the map passes over all ${rows} rows` : 'there is no row behind the header';
  return `${what}, so there is nothing for ${asked.map(({ table }) => table.name).join(', ')}; is it the right file, with all of its rows? If it is, pass --allow-empty`;
}

class MappedSource implements TableSource {
  readonly file: string;
  /** One row of constants says nothing of others. */
  readonly partial: boolean;
  /** How many rows of the file there were, and how many of them the map kept out, in the latest reading. */
  records = 0;
  passedOver = 0;
  /** Whether the file was read to its end. */
  isRead = false;
  private blocks: readonly TableMapping[];
  private readonly skipped: ReadonlySet<string>;
  private hasBegun = false;

  constructor(
    readonly table: ImportTable,
    mapping: Mapping,
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

  /** Whether all rows of the file were passed over. */
  get gaveNothing(): boolean {
    return this.passedOver === this.records;
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
    if (constant.length) yield constant.flatMap((one) => make(one).of({ line: 1, cells: [] }));
    const made = blocks.filter((one) => !constant.includes(one)).map(make);
    this.records = this.passedOver = 0;
    if (made.length)
      for await (const records of this.input.records(report))
        for (let start = 0; start < records.length; start += PORTION) {
          const portion = records.slice(start, start + PORTION);
          const rows = portion.flatMap((record) =>
            made.length === 1 ? made[0]!.of(record) : made.flatMap((block) => block.of(record)),
          );
          this.records += portion.length;
          this.passedOver = Math.min(...made.map((block) => block.passedOver));
          if (rows.length) yield rows;
        }
    this.isRead = true;
  }

  /** @throws {SourceFault} if a column is not there that has to be, or that other blocks have */
  private refuseMissing(blocks: readonly TableMapping[]): void {
    const given = blocks.map(({ columns }) => new Set(columns.map(({ column }) => column)));
    for (const [index, { columns }] of this.blocks.entries())
      for (const { column, rule } of columns) {
        const isNeeded = isRequired(column, rule) || given.some((some) => some.has(column));
        if (!isNeeded || given[index]!.has(column)) continue;
        const headers = [...new Set(valueHeadersOf(rule))].join(', ');
        throw new SourceFault(
          this.input.header.line,
          `missing column: the file has none of these, and ${column.name} needs one`,
          headers,
        );
      }
  }
}

/** The columns that the file has. */
function presentColumns(columns: readonly ColumnMapping[], has: (header: string) => boolean): ColumnMapping[] {
  return columns.flatMap(({ column, rule }) => {
    const left = present(rule, has);
    return left ? [{ column, rule: left }] : [];
  });
}

function isRequired(column: FieldDeclaration, rule: Rule): boolean {
  return Boolean(column.primary) || column.nullable === false || cellsOf(rule).some(({ required }) => required);
}

/** The headers whose empty cells keep a row from becoming a product, as the map says. */
function headersSkippedIfEmpty({ tables }: Mapping): ReadonlySet<string> {
  const products = tables.filter(({ table }) => table.name === 'products');
  return new Set(products.flatMap(({ skip }) => skip.filter(([, texts]) => texts.has('')).map(([header]) => header)));
}
