import type { FieldDeclaration } from '../resource/field.decorator.js';
import type { Problems } from './problems.js';
import type { TableSource } from './source/table-source.js';

const SHOWN = 3;

/** Counts the rows with one fault and describes the first of them. */
class FaultyRows {
  count = 0;
  line = 0;
  readonly first: string[] = [];

  add(line: number, place: string): void {
    this.line ||= line;
    if (++this.count <= SHOWN) this.first.push(place);
  }
}

/**
 * Missing and repeated keys in the file of a table. Often all cells of a column have the same fault, so each fault is
 * reported once per file.
 */
export class KeyFaults {
  private readonly missing = new Map<FieldDeclaration, FaultyRows>();
  private readonly repeated = new FaultyRows();
  private earlier = 0;

  constructor(private readonly source: TableSource) {}

  get any(): boolean {
    return this.missing.size > 0 || this.repeated.count > 0;
  }

  noteMissing(column: FieldDeclaration, line: number): void {
    const rows = this.missing.get(column) ?? new FaultyRows();
    this.missing.set(column, rows);
    rows.add(line, String(line));
  }

  noteRepeated(line: number, earlier: number): void {
    this.earlier ||= earlier;
    this.repeated.add(line, `${line} (as on ${earlier})`);
  }

  /**
   * Adds the faults to the problems.
   * @param all number of rows in the file
   * @param reported faults that were reported before, because several tables may take their keys from the same headers
   */
  report(problems: Problems, all: number, reported: Set<string>): void {
    const { source } = this;
    for (const [column, rows] of this.missing)
      if (isNew(reported, source, 'missing', [column]))
        problems.add(source.file, rows.line, source.label(column), this.missingText(column, rows, all));
    const keys = source.columns.filter(({ primary }) => primary);
    if (!this.repeated.count || !isNew(reported, source, 'repeated', keys)) return;
    const label = keys.map((column) => source.label(column)).join(', ');
    problems.add(source.file, this.repeated.line, label, this.repeatedText(keys, all));
  }

  private missingText(column: FieldDeclaration, rows: FaultyRows, all: number): string {
    const [header] = this.source.origin?.(column) ?? [];
    if (rows.count === 1 && !header) return 'is empty, but a value is required';
    const fault = `${number(rows.count)} of ${number(all)} rows ${rows.count === 1 ? 'has' : 'have'} no ${column.name}`;
    return `${fault}, ${places(rows)}${header ? `; ${missingAdvice(this.source, column, header)}` : ''}`;
  }

  private repeatedText(keys: readonly FieldDeclaration[], all: number): string {
    const { repeated, source } = this;
    const column = keys.find((key) => source.origin?.(key).length);
    const advice = column ? `; ${repeatedAdvice(column, source.origin!(column)[0]!)}` : '';
    if (repeated.count === 1) return `repeats the key of line ${this.earlier}${advice}`;
    return `${number(repeated.count)} of ${number(all)} rows repeat the key of an earlier row, ${places(repeated)}${advice}`;
  }
}

/** Whether the fault was not reported before. Adds it to `reported`. */
function isNew(
  reported: Set<string>,
  source: TableSource,
  fault: string,
  columns: readonly FieldDeclaration[],
): boolean {
  // In a file that a column map reads, the headers identify the fault. Constants in the key do not matter.
  const origins = source.origin
    ? columns.flatMap((column) => source.origin!(column))
    : [source.table, ...columns].map(({ name }) => name);
  const name = [source.file, fault, ...origins].join('\0');
  if (reported.has(name)) return false;
  reported.add(name);
  return true;
}

function places({ count, first }: FaultyRows): string {
  if (count === 1) return `on line ${first[0]}`;
  return `${count > SHOWN ? 'first ' : ''}on lines ${first.join(', ')}`;
}

function missingAdvice(source: TableSource, { name }: FieldDeclaration, header: string): string {
  const from = inMap(header);
  return (
    `set one in the shop, compose one in the column map, such as ` +
    `${name}: [${from}, { join: '-', of: [HEADER, HEADER], shorten: 64 }], or skip these rows: ` +
    `skip: { ${from}: '' } in ${(source.tablesWithKey?.(header) ?? [source.table.name]).join(', ')}`
  );
}

function repeatedAdvice({ name }: FieldDeclaration, header: string): string {
  return `make them unique in the shop or in the column map: ${name}: { join: '-', of: [${inMap(header)}, HEADER], shorten: 64 }`;
}

/** A header in the notation of a column map: quoted if necessary. */
function inMap(header: string): string {
  return /^[\p{L}\d][\p{L}\d /()_-]*$/u.test(header) ? header : `'${header.replaceAll("'", "''")}'`;
}

function number(count: number): string {
  return count.toLocaleString('en-US');
}
