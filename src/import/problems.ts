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

/** How many problems an operator is shown, and how many are kept at the most to choose the first ones from. */
const SHOWN = 100;
const KEPT = 1000;

/** Everything that is wrong with the files of an import. Counts all, keeps the first, as a terminal may print them. */
export class Problems {
  /** By their text: a file that several tables are read from may have the same fault for each. */
  private readonly kept = new Map<string, Problem>();
  /** Files in the order in which they came. */
  private readonly files = new Map<string, number>();
  count = 0;

  add(file: string, line: number, column: string, message: string): void {
    const problem = { file: visible(file), line, column: visible(column), message: visible(message) };
    if (this.kept.has(text(problem))) return;
    this.count++;
    if (!this.files.has(problem.file)) this.files.set(problem.file, this.files.size);
    if (this.kept.size < KEPT) this.kept.set(text(problem), problem);
  }

  get none(): boolean {
    return this.count === 0;
  }

  /** @throws {ImportRefused} if there is any problem */
  assertNone(): void {
    if (this.none) return;
    const order = (problem: Problem) => this.files.get(problem.file)!;
    const first = [...this.kept.values()].toSorted((a, b) => order(a) - order(b) || a.line - b.line).slice(0, SHOWN);
    throw new ImportRefused(first, this.count);
  }
}

/** The import wrote nothing, because of these problems. */
export class ImportRefused extends Error {
  /**
   * @param problems the first of them
   * @param count how many there are in all
   */
  constructor(
    readonly problems: readonly Problem[],
    readonly count: number,
  ) {
    const more = count > problems.length ? [`… and ${count - problems.length} more.`] : [];
    super([...problems.map(text), ...more, `Nothing was imported: ${count} problem(s).`].join('\n'));
  }
}

function text({ file, line, column, message }: Problem): string {
  const place = [file, ...(line ? [line] : [])].join(':');
  return [place, ...(column ? [column] : []), message].join(': ');
}
