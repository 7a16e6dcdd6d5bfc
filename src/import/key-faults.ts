import type { FieldDeclaration } from '../resource/field.decorator.js';
import type { Problems } from './problems.js';
import type { TableSource } from './source/table-source.js';

const SHOWN = 3;

/** Rows with one fault: how many, and the first of them in words. */
class Rows {
  count = 0;
  line = 0;
  readonly first: string[] = [];

  add(line: number, place: string): void {
    this.line ||= line;
    if (++this.count <= SHOWN) this.first.push(place);
  }
}

/**
 * Keys that are missing in a table's file, or that several rows have. Often a whole column of them is; each of these faults
 * is told once for a file.
 */
export class KeyFaults {
  private readonly missing = new Map<FieldDeclaration, Rows>();
  private readonly repeated = new Rows();
  private earlier = 0;

  constructor(private readonly source: TableSource) {}

  get any(): boolean {
    return this.missing.size > 0 || this.repeated.count > 0;
  }

  noteMissing(column: FieldDeclaration, line: number): void {
    const rows = this.missing.get(column) ?? new Rows();
    this.missing.set(column, rows);
    rows.add(line, String(line));
  }

  noteRepeated(line: number, earlier: number): void {
    this.earlier ||= earlier;
    this.repeated.add(line, `${line} (as on ${earlier})`);
  }

  /**
   * Tells of the faults.
   * @param all how many rows there are
   * @param told what was told of the file already, by the headers: further tables have the same keys
   */
  report(problems: Problems, all: number, told: Set<string>): void {
    const { source } = this;
    for (const [column, rows] of this.missing)
      if (isNew(told, source, 'missing', [column]))
        problems.add(source.file, rows.line, source.label(column), this.missingText(column, rows, all));
    const keys = source.columns.filter(({ primary }) => primary);
    if (!this.repeated.count || !isNew(told, source, 'repeated', keys)) return;
    const label = keys.map((column) => source.label(column)).join(', ');
    problems.add(source.file, this.repeated.line, label, this.repeatedText(keys, all));
  }

  private missingText(column: FieldDeclaration, rows: Rows, all: number): string {
    const [header] = this.source.origin?.(column) ?? [];
    if (rows.count === 1 && !header) return 'is empty, and has to hold a value';
    const what = `${number(rows.count)} of ${number(all)} rows ${rows.count === 1 ? 'has' : 'have'} no ${column.name}`;
    return `${what}, ${places(rows)}${header ? `; ${missingAdvice(this.source, column, header)}` : ''}`;
  }

  private repeatedText(keys: readonly FieldDeclaration[], all: number): string {
    const { repeated, source } = this;
    const column = keys.find((key) => source.origin?.(key).length);
    const advice = column ? `; ${repeatedAdvice(column, source.origin!(column)[0]!)}` : '';
    if (repeated.count === 1) return `the same key as on line ${this.earlier}${advice}`;
    return `${number(repeated.count)} of ${number(all)} rows have the key of an earlier row, ${places(repeated)}${advice}`;
  }
}

function isNew(told: Set<string>, source: TableSource, fault: string, columns: readonly FieldDeclaration[]): boolean {
  // Of a foreign file the headers count, so that constants beside them make no difference.
  const origins = source.origin
    ? columns.flatMap((column) => source.origin!(column))
    : [source.table, ...columns].map(({ name }) => name);
  const name = [source.file, fault, ...origins].join('\0');
  if (told.has(name)) return false;
  told.add(name);
  return true;
}

function places({ count, first }: Rows): string {
  if (count === 1) return `on line ${first[0]}`;
  return `${count > SHOWN ? 'first ' : ''}on lines ${first.join(', ')}`;
}

function missingAdvice({ table }: TableSource, { name }: FieldDeclaration, header: string): string {
  const from = inMap(header);
  return (
    `give them one in the shop, compose one in the map, such as ` +
    `${name}: [${from}, { join: '-', of: [HEADER, HEADER], shorten: 64 }], or pass the rows over: ` +
    `skip: { ${from}: '' } in ${table.name}`
  );
}

function repeatedAdvice({ name }: FieldDeclaration, header: string): string {
  return `make them differ in the shop, or in the map: ${name}: { join: '-', of: [${inMap(header)}, HEADER], shorten: 64 }`;
}

/** A header as a map has to write it. */
function inMap(header: string): string {
  return /^[\p{L}\d][\p{L}\d /()_-]*$/u.test(header) ? header : `'${header.replaceAll("'", "''")}'`;
}

function number(count: number): string {
  return count.toLocaleString('en-US');
}
