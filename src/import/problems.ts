import { visible } from './excerpt.js';

/** One fault of an import, and its place. */
export interface Problem {
  file: string;
  /** From 1; 0: the file as a whole. */
  line: number;
  /** As the file names it; '': the line as a whole. */
  column: string;
  message: string;
}

/** The same fault in several lines of a column. */
export interface ProblemGroup {
  file: string;
  column: string;
  /** Of the first line. */
  message: string;
  count: number;
  /** The first ones. */
  lines: number[];
}

/** How many problems of a group are shown, and how many in all. */
const SHOWN_OF_GROUP = 3;
const SHOWN = 100;
/** Further groups are counted only. */
const MOST_GROUPS = 1000;
/** So many problems are compared, so that the same one is not told for each table that is read from a file. */
const COMPARED = 1000;

interface Group {
  count: number;
  /** The first by their lines. */
  first: Problem[];
}

/**
 * Everything that is wrong with the files of an import, as a terminal may print it. Counts all, and keeps the first of
 * each group: the same message, but for its numbers and quoted texts, about the same column.
 */
export class Problems {
  private readonly groups = new Map<string, Group>();
  private readonly compared = new Set<string>();
  /** Files in the order in which they came. */
  private readonly files = new Map<string, number>();
  count = 0;

  add(file: string, line: number, column: string, message: string): void {
    const problem = { file: visible(file), line, column: visible(column), message: visible(message) };
    const whole = text(problem);
    if (this.compared.has(whole)) return;
    if (this.compared.size < COMPARED) this.compared.add(whole);
    this.count++;
    if (!this.files.has(problem.file)) this.files.set(problem.file, this.files.size);
    this.group(problem);
  }

  get none(): boolean {
    return this.count === 0;
  }

  /** @throws {ImportRefused} if there is any problem */
  assertNone(): void {
    if (this.none) return;
    const order = ({ first: [problem] }: Group) => this.files.get(problem!.file)!;
    const groups = [...this.groups.values()].toSorted((a, b) => order(a) - order(b) || lineOf(a) - lineOf(b));
    throw new ImportRefused(
      groups.flatMap(({ first }) => first).slice(0, SHOWN),
      this.count,
      groups.map(({ count, first }) => {
        const [{ file, column, message }] = first as [Problem];
        return { file, column, message, count, lines: first.map(({ line }) => line) };
      }),
    );
  }

  private group(problem: Problem): void {
    const key = [problem.file, problem.column, kind(problem.message)].join('\0');
    const group = this.groups.get(key);
    if (!group) {
      if (this.groups.size < MOST_GROUPS) this.groups.set(key, { count: 1, first: [problem] });
      return;
    }
    group.count++;
    if (group.first.length === SHOWN_OF_GROUP && problem.line >= group.first.at(-1)!.line) return;
    const place = group.first.findIndex(({ line }) => line > problem.line);
    group.first.splice(place < 0 ? group.first.length : place, 0, problem);
    group.first.length = Math.min(group.first.length, SHOWN_OF_GROUP);
  }
}

/** The first line of a group. */
function lineOf({ first: [problem] }: Group): number {
  return problem!.line;
}

/** A message without what differs from line to line: texts in quotes, and words with digits. */
function kind(message: string): string {
  return message.replace(/".*"/s, '""').replace(/\S*\d\S*/g, '0');
}

/** The import wrote nothing, because of these problems. */
export class ImportRefused extends Error {
  /**
   * @param problems the first of them
   * @param count how many there are in all
   * @param groups how often each kind occurs
   */
  constructor(
    readonly problems: readonly Problem[],
    readonly count: number,
    readonly groups: readonly ProblemGroup[] = [],
  ) {
    super([...listed(problems, count, groups), `Nothing was imported: ${count} problem(s).`].join('\n'));
  }
}

/** The problems, behind those of each group how many more there are. */
function listed(problems: readonly Problem[], count: number, groups: readonly ProblemGroup[]): string[] {
  const lines: string[] = [];
  let [at, told] = [0, 0];
  for (const { file, column, count: size, lines: first } of groups) {
    const shown = problems.slice(at, at + first.length);
    if (!shown.length) break;
    lines.push(...shown.map(text));
    at += shown.length;
    told += size;
    const place = [file, ...(column ? [column] : [])].join(': ');
    if (size > shown.length) lines.push(`${place}: … and ${size - shown.length} more like this, ${size} in all`);
  }
  if (!groups.length) return problems.map(text);
  return count > told ? [...lines, `… and ${count - told} more.`] : lines;
}

function text({ file, line, column, message }: Problem): string {
  const place = [file, ...(line ? [line] : [])].join(':');
  return [place, ...(column ? [column] : []), message].join(': ');
}
