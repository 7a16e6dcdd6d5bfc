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

/** Tells what is wrong with the cell that one of the columns comes from. */
type ReportColumnProblem = (line: number, column: FieldDeclaration, message: string) => void;

/** `distinct` keeps rows of up to this many characters as they are, and the hash of longer ones. */
const LONGEST_KEPT = 200;

/** Makes rows of one table out of the records of a foreign file. */
export class MappedRows {
  /** How many records `only` and `skip` of the map kept out. */
  passedOver = 0;
  private readonly reading: RuleValues;
  /** For each column, what a record gives: one cell, or one for each row. */
  private readonly reads: readonly ((cells: Cells) => Given | Given[])[];
  /** Which columns come from lists, and which of these belong to the key. */
  private readonly lists: readonly number[];
  private readonly listKeys: readonly number[];
  private readonly isWanted: (cells: Cells) => boolean;
  private readonly seen = new Set<string>();

  /** Columns of the key that come from a row without a SKU, if such rows are passed over. */
  private readonly fromSkipped: readonly number[];

  /**
   * @param block its number among the blocks of the table
   * @param skipped headers whose empty cells keep a row from becoming a product
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
    const only = holding(mapping.only, position);
    const skip = holding(mapping.skip, position);
    this.isWanted = (cells) => only.every((holds) => holds(cells)) && !skip.some((holds) => holds(cells));
  }

  /** The rows that a record gives; it has to be as wide as the header. */
  of({ line, cells }: CsvRecord): SourceRow[] {
    this.reading.note(cells);
    const rows = this.isWanted(cells) ? this.spread(line, cells) : undefined;
    if (!rows) {
      this.passedOver++;
      return [];
    }
    const made = rows.map((row) => ({ line, cells: row, block: this.block }));
    return this.mapping.distinct ? made.filter((row) => this.isNew(row)) : made;
  }

  /**
   * Lists side by side make a row of each of their elements; an empty list has nothing for any row. Undefined: the row
   * belongs to a product that is passed over.
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
      this.report(
        line,
        this.listColumn(odd),
        `has ${sizes[odd]} element(s), and the list for ${longest} has ${size}`,
      );
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
    const name = text.length > LONGEST_KEPT ? createHash('sha256').update(text).digest('base64') : text;
    const isNew = !this.seen.has(name);
    this.seen.add(name);
    return isNew;
  }
}

/** Whether the rule takes the cell of one of these headers from another row. */
function isLookedUp(rule: Rule, headers: ReadonlySet<string>): boolean {
  if (rule.kind !== 'cell') return false;
  return rule.from.every((header) => headers.has(header)) && rule.rows.some((row) => row !== 'this');
}

function isList(given: Given | Given[]): given is Given[] {
  return Array.isArray(given);
}

function holding(conditions: Conditions, position: (header: string) => number): ((cells: Cells) => boolean)[] {
  return [...conditions].map(([header, texts]) => {
    const at = position(header);
    return (cells) => texts.has(comparable(cells[at]!));
  });
}
