/** Remembers, of the first row for each text in one column of a file, the cells that later rows refer to. */
export class FirstRows {
  private readonly rows = new Map<string, readonly string[]>();
  private readonly kept: number[] = [];

  /** @param key the column's position */
  constructor(private readonly key: number) {}

  /** Has a cell be remembered from now on. @returns its position in what `find` gives */
  keep(position: number): number {
    if (!this.kept.includes(position)) this.kept.push(position);
    return this.kept.indexOf(position);
  }

  /** Takes note of a row, unless there was one with this text before. */
  note(cells: readonly string[]): void {
    const text = cells[this.key]!.trim();
    if (text === '' || this.rows.has(text)) return;
    this.rows.set(
      text,
      this.kept.map((position) => cells[position]!),
    );
  }

  find(text: string): readonly string[] | undefined {
    return this.rows.get(text.trim());
  }
}
