import { createHash } from 'node:crypto';
import type { FieldDeclaration } from '../../../resource/field.decorator.js';
import type { CellError } from '../../cell.js';
import { comparable } from '../map/map-node.js';
import { givesList, type Rule } from '../map/mapping-rule.js';
import type { Conditions, TableMapping } from '../map/mapping.js';
import type { CsvRecord } from '../csv/record-parser.js';
import type { ForeignFile } from './foreign-file.js';
import { Lookups } from './lookups.js';
import { RuleValues, valueOrError } from './rule-values.js';
import type { SourceRow } from '../table-source.js';

type Cells = readonly string[];
type Given = string | CellError;

/** Reports a fault of the cell that a column is read from. */
type ReportColumnProblem = (line: number, column: FieldDeclaration, message: string) => void;

/** In characters. `distinct` compares longer rows by their hash, to save memory. */
const MAX_COMPARED_LENGTH = 200;

/** Makes rows of one table out of the records of a foreign file. */
export class MappedRows {
  /** The number of records that the map skipped with `only` and `skip`. */
  skippedRecords = 0;
  private readonly reading: RuleValues;
  /** For each column, reads one cell of a record, or a list with one cell for each row. */
  private readonly reads: readonly ((cells: Cells) => Given | Given[])[];
  /** The indexes of the columns that are read from lists, and of those that belong to the key. */
  private readonly lists: readonly number[];
  private readonly listKeys: readonly number[];
  private readonly isWanted: (cells: Cells) => boolean;
  private readonly seen = new Set<string>();

  /** The indexes of key columns that are looked up in rows that the map skips if they have no SKU. */
  private readonly fromSkipped: readonly number[];

  /**
   * @param block its index among the blocks of the table
   * @param skipped headers of a product's `skip` that match empty cells: a row with such a cell is not a product
   */
  constructor(
    private readonly mapping: TableMapping,
    private readonly block: number,
    { header, number }: Pick<ForeignFile, 'header' | 'number'>,
    lookups: Lookups = new Lookups([], header),
    skipped: ReadonlySet<string>,
    private readonly report: ReportColumnProblem,
  ) {
    const position = (name: string) => header.position(name);
    this.reading = new RuleValues(position, number, lookups);
    this.reads = mapping.columns.map(({ rule, column }) => {
      const read = givesList(rule) ? this.reading.list(rule, column) : this.reading.text(rule, column);
      return (cells) => valueOrError<string | Given[]>(() => read(cells));
    });
    this.lists = mapping.columns.flatMap(({ rule }, index) => (givesList(rule) ? [index] : []));
    this.listKeys = this.lists.filter((index) => mapping.columns[index]!.column.primary);
    this.fromSkipped = mapping.columns.flatMap(({ column, rule }, index) =>
      column.primary && isLookedUp(rule, skipped) ? [index] : [],
    );
    const only = predicatesOf(mapping.only, position);
    const skip = predicatesOf(mapping.skip, position);
    this.isWanted = (cells) => only.every((matches) => matches(cells)) && !skip.some((matches) => matches(cells));
  }

  /** Returns the rows of a record, which must be as wide as the header. */
  rowsOf({ line, cells }: CsvRecord): SourceRow[] {
    this.reading.note(cells);
    const rows = this.isWanted(cells) ? this.spread(line, cells) : undefined;
    if (!rows) {
      this.skippedRecords++;
      return [];
    }
    const made = rows.map((row) => ({ line, cells: row, block: this.block }));
    return this.mapping.distinct ? made.filter((row) => this.isNew(row)) : made;
  }

  /**
   * Spreads lists over rows: elements at the same position make one row. An empty list leaves its column empty in all
   * rows. Returns undefined if the record belongs to a product that the map skips.
   */
  private spread(line: number, cells: Cells): Given[][] | undefined {
    const given = this.reads.map((read) => read(cells));
    if (this.fromSkipped.some((index) => given[index] === '')) return undefined;
    const lists = this.lists.map((index) => given[index]!);
    if (!lists.length || !lists.every(isList)) return [given.map((cell) => (isList(cell) ? '' : cell))];
    const sizes = lists.map(({ length }) => length);
    const size = Math.max(...sizes);
    const odd = sizes.findIndex((other) => other > 0 && other !== size);
    if (odd >= 0) {
      const longest = this.listColumn(sizes.indexOf(size)).name;
      this.report(line, this.listColumn(odd), `has ${sizes[odd]} element(s), but the list for ${longest} has ${size}`);
      return [];
    }
    const rows = Array.from({ length: size }, (_, at) => given.map((cell) => (isList(cell) ? (cell[at] ?? '') : cell)));
    return rows.filter((row) => this.listKeys.some((index) => row[index] !== ''));
  }

  private listColumn(index: number): FieldDeclaration {
    return this.mapping.columns[this.lists[index]!]!.column;
  }

  private isNew({ cells }: SourceRow): boolean {
    const text = cells.join('\0');
    const name = text.length > MAX_COMPARED_LENGTH ? createHash('sha256').update(text).digest('base64') : text;
    const isNew = !this.seen.has(name);
    this.seen.add(name);
    return isNew;
  }
}

/** Whether the rule takes a cell under these headers from another row. */
function isLookedUp(rule: Rule, headers: ReadonlySet<string>): boolean {
  if (rule.kind !== 'cell') return false;
  return rule.from.every((header) => headers.has(header)) && rule.rows.some((row) => row !== 'this');
}

function isList(given: Given | Given[]): given is Given[] {
  return Array.isArray(given);
}

function predicatesOf(conditions: Conditions, position: (header: string) => number): ((cells: Cells) => boolean)[] {
  return [...conditions].map(([header, texts]) => {
    const at = position(header);
    return (cells) => texts.has(comparable(cells[at]!));
  });
}
