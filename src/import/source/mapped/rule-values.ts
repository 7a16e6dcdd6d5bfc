import type { Field } from '../../../resource/field.decorator.js';
import { CellError } from '../../cell.js';
import { TextLength } from './bounded-text.js';
import { splitList, valueOfKey } from './cell-list.js';
import { cellText } from './changed-text.js';
import { FirstRows } from './first-rows.js';
import type { CellRule, ListRule, Rule } from '../map/mapping-rule.js';

type Cells = readonly string[];

/** Takes a value from the cells of a row. */
type Read<Value> = (cells: Cells) => Value;

/** Turns rules into functions of a row's cells, for a file whose header is known. */
export class RuleValues {
  private readonly firstRows = new Map<string, FirstRows>();

  /** @param position of a header's column */
  constructor(
    private readonly position: (header: string) => number,
    private readonly decimalComma: boolean,
  ) {}

  /** Takes note of a row. Has to come before it is read: a row may refer to rows above, or to itself. */
  note(cells: Cells): void {
    for (const rows of this.firstRows.values()) rows.note(cells);
  }

  /**
   * For a rule that gives one text; it throws a CellError where that is no value.
   * @param column undefined: the text is only a part of a column's value, or finds a row
   */
  text(rule: Rule, column?: Field): Read<string> {
    if (rule.kind === 'constant') return () => rule.text;
    if (rule.kind === 'cell') return this.cell(rule, column);
    const reads = rule.rules.map((part) => this.text(part, rule.kind === 'join' ? undefined : column));
    if (rule.kind === 'join') return (cells) => joined(reads, cells, rule.between);
    return (cells) => firstOf(reads, cells, isThere) ?? '';
  }

  /** For a rule that gives a list; an element that is no value is a CellError in its place. */
  list(rule: Rule, column: Field): Read<(string | CellError)[]> {
    if (rule.kind === 'first') {
      const reads = rule.rules.map((part) => this.list(part, column));
      return (cells) => firstOf(reads, cells, ({ length }) => length > 0) ?? [];
    }
    if (rule.kind !== 'cell' || !rule.list) throw new TypeError('the rule gives no list');
    const elements = this.elements(rule, rule.list);
    const finish = cellText(rule, column, this.decimalComma);
    return (cells) => elements(cells).map((element) => valueOrError(() => finish(element)));
  }

  private cell(rule: CellRule, column?: Field): Read<string> {
    const read = rule.list ? this.element(rule, rule.list) : this.cells(rule)[0]!;
    const finish = cellText(rule, column, this.decimalComma);
    return (cells) => finish(read(cells));
  }

  private element(rule: CellRule, list: ListRule): Read<string> {
    const { take } = list;
    if (typeof take === 'string') throw new TypeError('the rule gives a list');
    if ('key' in take) {
      const [read] = this.cells(rule);
      return (cells) => valueOfKey(read!(cells), take.key, list);
    }
    const elements = this.elements(rule, list);
    return (cells) => elements(cells).at(take.item === 'last' ? -1 : take.item - 1) ?? '';
  }

  private elements(rule: CellRule, list: ListRule): Read<string[]> {
    const reads = this.cells(rule);
    const all: Read<string[]> = (cells) => reads.flatMap((read) => splitList(read(cells), list));
    const once: Read<string[]> = reads.length === 1 ? all : (cells) => [...new Set(all(cells).filter(isThere))];
    return list.take === 'number' ? (cells) => once(cells).map((text, index) => text && String(index + 1)) : once;
  }

  /** The cells that the rule speaks of, one for each header. */
  private cells({ from, row }: CellRule): Read<string>[] {
    const positions = [...new Set(from)].map((header) => this.position(header));
    if (!row) return positions.map((position) => (cells) => cells[position]!);
    const rows = this.rowsBy(row.key);
    const is = this.text(row.is);
    return positions.map((position) => {
      const kept = rows.keep(position);
      return (cells) => rows.find(is(cells))?.[kept] ?? '';
    });
  }

  private rowsBy(key: string): FirstRows {
    const rows = this.firstRows.get(key) ?? new FirstRows(this.position(key));
    this.firstRows.set(key, rows);
    return rows;
  }
}

function isThere(text: string): boolean {
  return text.trim() !== '';
}

function joined(reads: readonly Read<string>[], cells: Cells, between: string): string {
  const length = new TextLength();
  const parts: string[] = [];
  for (const read of reads) {
    const part = read(cells);
    if (!isThere(part)) continue;
    length.add(part.length + between.length);
    parts.push(part);
  }
  return parts.join(between);
}

function firstOf<Value>(
  reads: readonly Read<Value>[],
  cells: Cells,
  wanted: (value: Value) => boolean,
): Value | undefined {
  for (const read of reads) {
    const value = read(cells);
    if (wanted(value)) return value;
  }
  return undefined;
}

/** What `make` returns, or the CellError that it throws. */
export function valueOrError<Value>(make: () => Value): Value | CellError {
  try {
    return make();
  } catch (error) {
    if (error instanceof CellError) return error;
    throw error;
  }
}
