import type { FieldDeclaration } from '../../../resource/field.decorator.js';
import { CellError } from '../../cell.js';
import { quoted } from '../../excerpt.js';
import { comparable } from '../map/map-node.js';
import type { CellRule, KeyRule, ListRule, NumberFormat, Rule, RowRule } from '../map/mapping-rule.js';
import { TextLength } from './bounded-text.js';
import { deepestPath, splitList, valueOfKey } from './cell-list.js';
import { cellText } from './changed-text.js';
import type { Lookups } from './lookups.js';
import { shortened } from './shortened.js';

type Cells = readonly string[];

/** Reads a value from the cells of a row. */
type Read<Value> = (cells: Cells) => Value;

/** The result of the lookups of one value. */
interface Outcome {
  /** Whether one of the rows was found. */
  found: boolean;
  /** The message about the first row that was not found. */
  missing?: string;
}

const NO_LOOKUP: Outcome = { found: false };

/** Turns rules into functions of a row's cells, for a file whose header is known. */
export class RuleValues {
  /** For each `above` rule, by its JSON: the latest row that matches it. */
  private readonly above = new Map<string, { matches: Read<boolean>; cells?: Cells }>();
  private outcome = NO_LOOKUP;

  /**
   * @param position returns the position of a header's column
   * @param lookups the rows that other rows refer to, already read
   */
  constructor(
    private readonly position: (header: string) => number,
    private readonly format: NumberFormat,
    private readonly lookups: Lookups,
  ) {}

  /** Records a row. Call it before reading the row, because a row may refer to rows above or to itself. */
  note(cells: Cells): void {
    for (const row of this.above.values()) if (row.matches(cells)) row.cells = cells;
  }

  /**
   * Returns a function for a rule that gives one text. It throws a CellError if the text is not a valid value.
   * @param column undefined if the text is only a part of a column's value, or finds a row
   */
  text(rule: Rule, column?: FieldDeclaration): Read<string> {
    if (rule.kind === 'constant') return () => rule.text;
    if (rule.kind === 'cell') return this.cell(rule, column);
    const reads = rule.rules.map((part) => this.text(part, rule.kind === 'join' ? undefined : column));
    if (rule.kind === 'first') return this.first(rule.rules, reads, '', isFilled);
    const { between, shorten } = rule;
    return (cells) => {
      const text = joined(reads, cells, between);
      return shorten === undefined ? text : shortened(text, shorten);
    };
  }

  /** Returns a function for a rule that gives a list. In the list, a CellError represents an invalid element. */
  list(rule: Rule, column: FieldDeclaration): Read<(string | CellError)[]> {
    if (rule.kind === 'first') {
      const reads = rule.rules.map((part) => this.list(part, column));
      return this.first(rule.rules, reads, [], ({ length }) => length > 0);
    }
    if (rule.kind !== 'cell' || !rule.list) throw new TypeError('the rule does not give a list');
    const elements = this.elements(rule, rule.list);
    const finish = this.finish(rule, column);
    return (cells) => {
      this.outcome = { found: false };
      const texts = elements(cells);
      this.assertFound(texts.length > 0);
      return texts.map((text) => valueOrError(() => finish(text, cells)));
    };
  }

  /**
   * Reads the first value that is present. With a constant among the rules, a row that is not found is not an error.
   */
  private first<Value>(
    rules: readonly Rule[],
    reads: readonly Read<Value>[],
    none: Value,
    wanted: (value: Value) => boolean,
  ): Read<Value> {
    const tolerant = rules.some(({ kind }) => kind === 'constant');
    return (cells) => {
      const all: Outcome = { found: tolerant };
      for (const read of reads) {
        try {
          const value = read(cells);
          if (wanted(value)) return value;
          all.found ||= this.outcome.found;
        } catch (error) {
          if (!(error instanceof RowNotFound)) throw error;
          all.missing ??= error.what;
        }
      }
      this.outcome = all;
      if (all.missing !== undefined && !all.found) throw new RowNotFound(all.missing);
      return none;
    };
  }

  /** Refuses a value that is empty because a row was not found. */
  private assertFound(hasValue: boolean): void {
    const { found, missing } = this.outcome;
    if (missing !== undefined && !found && !hasValue) throw new RowNotFound(missing);
  }

  private cell(rule: CellRule, column?: FieldDeclaration): Read<string> {
    const read = rule.list ? this.element(rule, rule.list) : this.cells(rule)[0]!;
    const finish = this.finish(rule, column);
    if (rule.rows.every((row) => row === 'this'))
      return (cells) => {
        this.outcome = NO_LOOKUP;
        return finish(read(cells), cells);
      };
    return (cells) => {
      this.outcome = { found: false };
      const text = read(cells);
      this.assertFound(isFilled(text));
      if (rule.required === 'found' && this.outcome.found && !isFilled(text) && !rule.values?.has(''))
        throw new CellError('is empty in the row that the map looks up, but the map requires a value');
      return finish(text, cells);
    };
  }

  private finish(rule: CellRule, column?: FieldDeclaration): (text: string, cells: Cells) => string {
    return cellText(rule, column, this.format, rule.times ? this.text(rule.times) : () => '');
  }

  private element(rule: CellRule, list: ListRule): Read<string> {
    const { take } = list;
    if (typeof take === 'string') throw new TypeError('the rule gives a list');
    if ('key' in take) {
      const [read] = this.cells(rule);
      return (cells) => valueOfKey(read!(cells), take.key, list);
    }
    const elements = this.elements(rule, list);
    if ('deepest' in take) return (cells) => deepestPath(elements(cells), take.deepest, list.escape, take.withRoot);
    return (cells) => elements(cells).at(take.item === 'last' ? -1 : take.item - 1) ?? '';
  }

  private elements(rule: CellRule, list: ListRule): Read<string[]> {
    const reads = this.cells(rule);
    const all: Read<string[]> = (cells) => reads.flatMap((read) => splitList(read(cells), list));
    const once: Read<string[]> = reads.length === 1 ? all : (cells) => [...new Set(all(cells).filter(isFilled))];
    return list.take === 'number' ? (cells) => once(cells).map((text, index) => text && String(index + 1)) : once;
  }

  /** Returns functions that read the cells of a rule, one for each header. */
  private cells({ from, rows }: CellRule): Read<string>[] {
    return [...new Set(from)].map((header) => {
      const reads = rows.map((row) => this.inRow(this.position(header), row));
      if (reads.length === 1) return reads[0]!;
      return (cells) => {
        for (const read of reads) {
          const text = read(cells);
          if (isFilled(text)) return text;
        }
        return '';
      };
    });
  }

  private inRow(position: number, row: RowRule): Read<string> {
    if (row === 'this') return (cells) => cells[position]!;
    return 'above' in row ? this.inRowAbove(position, row) : this.inRowOf(position, row);
  }

  private inRowAbove(position: number, { above }: Exclude<RowRule, 'this' | KeyRule>): Read<string> {
    const name = JSON.stringify(above.map(([header, texts]) => [header, [...(texts ?? [])]]));
    const tests = above.map(([header, texts]) => ({ at: this.position(header), texts }));
    const matches: Read<boolean> = (cells) =>
      tests.every(({ at, texts }) => (texts ? texts.has(comparable(cells[at]!)) : isFilled(cells[at]!)));
    const latest: { matches: Read<boolean>; cells?: Cells } = this.above.get(name) ?? { matches };
    this.above.set(name, latest);
    const headers = above
      .map(([header, texts]) => (texts ? `${header} ${[...texts].join(' or ')}` : header))
      .join(', ');
    return () => this.withOutcome(latest.cells?.[position], `no row above has ${quoted(headers)}`);
  }

  private inRowOf(position: number, { key }: KeyRule): Read<string> {
    const name = key.map(([header]) => header).join('\0');
    const reads = key.map(([, is]) => this.text(is));
    const headers = key.map(([header]) => header).join(', ');
    return (cells) => {
      const outcome = this.outcome;
      const texts = reads.map((read) => read(cells));
      this.outcome = outcome;
      const found = this.lookups.find(name, texts, position);
      if (found === null) return '';
      const isComplete = this.lookups.complete;
      return this.withOutcome(
        isComplete ? found : (found ?? ''),
        `no row of the file has the ${headers} ${quoted(texts.join(', '))}`,
      );
    };
  }

  /** Records whether a row was found, and returns its text or ''. */
  private withOutcome(text: string | undefined, missing: string): string {
    if (text === undefined) this.outcome.missing ??= missing;
    else this.outcome.found = true;
    return text ?? '';
  }
}

/** The row that a value is read from was not found. */
class RowNotFound extends CellError {
  constructor(readonly what: string) {
    super(`${what}; export that row as well, or end the rule with { constant: '' } if it may be missing`);
  }
}

function isFilled(text: string): boolean {
  return text.trim() !== '';
}

function joined(reads: readonly Read<string>[], cells: Cells, between: string): string {
  const length = new TextLength();
  const parts: string[] = [];
  for (const read of reads) {
    const part = read(cells);
    if (!isFilled(part)) continue;
    length.add(part.length + between.length);
    parts.push(part);
  }
  return parts.join(between);
}

/** Returns the result of `make`, or the CellError that it throws. */
export function valueOrError<Value>(make: () => Value): Value | CellError {
  try {
    return make();
  } catch (error) {
    if (error instanceof CellError) return error;
    throw error;
  }
}
