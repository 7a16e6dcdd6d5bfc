import { visible } from './excerpt.js';

/** One fault of an import and its place. */
export interface Problem {
  file: string;
  /** The line number, counted from 1; 0: the fault concerns the whole file. */
  line: number;
  /** The name that the file uses; '': the fault concerns the whole line. */
  column: string;
  message: string;
}

/** The same kind of fault on several lines of a column. */
export interface ProblemGroup {
  file: string;
  column: string;
  /** The message of the first line. */
  message: string;
  count: number;
  /** The first lines. */
  lines: number[];
}

/** How many problems are shown: per group, and in total. */
const SHOWN_PER_GROUP = 3;
const SHOWN = 100;
/** Problems of further groups are only counted. */
const MAX_GROUPS = 1000;
/** Number of problems that are remembered, to report a problem once if several tables read the same file. */
const REMEMBERED = 1000;

interface Group {
  count: number;
  /** The problems with the lowest line numbers. */
  first: Problem[];
}

/**
 * Collects the problems of an import, with control characters made visible. Counts all problems and stores the first of
 * each group. A group has one file, one column and messages that differ only in numbers and quoted texts.
 */
export class Problems {
  private readonly groups = new Map<string, Group>();
  private readonly remembered = new Set<string>();
  /** The position of each file, in the order of their first problems. */
  private readonly files = new Map<string, number>();
  count = 0;

  add(file: string, line: number, column: string, message: string): void {
    const problem = { file: visible(file), line, column: visible(column), message: visible(message) };
    const whole = text(problem);
    if (this.remembered.has(whole)) return;
    if (this.remembered.size < REMEMBERED) this.remembered.add(whole);
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
      if (this.groups.size < MAX_GROUPS) this.groups.set(key, { count: 1, first: [problem] });
      return;
    }
    group.count++;
    if (group.first.length === SHOWN_PER_GROUP && problem.line >= group.first.at(-1)!.line) return;
    const place = group.first.findIndex(({ line }) => line > problem.line);
    group.first.splice(place < 0 ? group.first.length : place, 0, problem);
    group.first.length = Math.min(group.first.length, SHOWN_PER_GROUP);
  }
}

/** The first line of a group. */
function lineOf({ first: [problem] }: Group): number {
  return problem!.line;
}

/** A message without the parts that differ from line to line: quoted texts and words with digits. */
function kind(message: string): string {
  return message.replace(/".*"/s, '""').replace(/\S*\d\S*/g, '0');
}

/** The import wrote nothing because of these problems. */
export class ImportRefused extends Error {
  /**
   * @param problems the first problems
   * @param count number of all problems
   * @param groups number of problems of each kind
   */
  constructor(
    readonly problems: readonly Problem[],
    readonly count: number,
    readonly groups: readonly ProblemGroup[] = [],
  ) {
    super([...listed(problems, count, groups), `Nothing was imported: ${count} problem(s).`].join('\n'));
  }
}

/** One line per shown problem. A line after each group states how many more problems it has. */
function listed(problems: readonly Problem[], count: number, groups: readonly ProblemGroup[]): string[] {
  const lines: string[] = [];
  let [at, covered] = [0, 0];
  for (const { file, column, count: size, lines: first } of groups) {
    const shown = problems.slice(at, at + first.length);
    if (!shown.length) break;
    lines.push(...shown.map(text));
    at += shown.length;
    covered += size;
    const place = [file, ...(column ? [column] : [])].join(': ');
    if (size > shown.length) lines.push(`${place}: … and ${size - shown.length} more like this, ${size} in all`);
  }
  if (!groups.length) return problems.map(text);
  return count > covered ? [...lines, `… and ${count - covered} more.`] : lines;
}

function text({ file, line, column, message }: Problem): string {
  const place = [file, ...(line ? [line] : [])].join(':');
  return [place, ...(column ? [column] : []), message].join(': ');
}
