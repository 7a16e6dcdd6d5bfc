/** Everything that is wrong with the files of an import, each with its place. */
export class Problems {
  private readonly lines: string[] = [];

  /** @param line from 1; 0: the file as a whole */
  add(file: string, line: number, message: string): void {
    this.lines.push(`${file}:${line ? `${line}:` : ''} ${message}`);
  }

  /** @throws {ImportRefused} if there is any problem */
  assertNone(): void {
    if (this.lines.length) throw new ImportRefused(this.lines);
  }

  get none(): boolean {
    return this.lines.length === 0;
  }
}

/** The import wrote nothing, because of these problems. */
export class ImportRefused extends Error {
  constructor(readonly problems: readonly string[]) {
    super([...problems, `Nothing was imported: ${problems.length} problem(s).`].join('\n'));
  }
}
