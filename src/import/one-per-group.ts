import type { RowValues } from './cell.js';
import type { WriteSession } from '../database/engine.js';
import type { FieldDeclaration } from '../resource/field.decorator.js';
import { KeyIndex } from './key-index.js';
import type { ReportProblem, TableSource } from './source/table-source.js';
import { keyText } from './key-text.js';

const LOOKUP_BATCH = 500;

/** Checks that at most one row of each group has a flag (see `onePer` in the declaration of a column). */
export class OnePerGroup {
  /** Groups with a flagged row in the file, and the line of that row. */
  private readonly flagged = new KeyIndex();
  /** The groups among `flagged` whose row is added or changed. Only these can conflict with stored rows. */
  private readonly written = new KeyIndex();

  private constructor(
    private readonly source: TableSource,
    private readonly flag: FieldDeclaration,
    private readonly group: FieldDeclaration,
  ) {}

  /** @returns undefined if the source has no such flag */
  static of(source: TableSource): OnePerGroup | undefined {
    const flag = source.columns.find(({ onePer }) => onePer);
    const group = source.columns.find(({ name }) => name === flag?.onePer);
    return flag && group && new OnePerGroup(source, flag, group);
  }

  /** Records a row of the file, and reports a second flagged row of the same group. */
  note(values: RowValues, line: number, report: ReportProblem): void {
    const group = this.groupOf(values);
    const earlier = group === undefined ? undefined : this.flagged.add(group, line);
    if (earlier !== undefined) report(line, this.source.label(this.flag), this.problem(group!, `on line ${earlier}`));
  }

  /** Records a row that is added or changed. */
  noteWritten(values: RowValues): void {
    const group = this.groupOf(values);
    if (group !== undefined) this.written.add(group, this.flagged.get(group) ?? 0);
  }

  /** Reports groups with a second flagged row that is stored but not in the file. */
  async compare({ query, rowIn }: WriteSession, inFile: KeyIndex, report: ReportProblem): Promise<void> {
    const { name, key: keys } = this.source.table;
    const lines = [...this.written.entries()];
    for (let start = 0; start < lines.length; start += LOOKUP_BATCH) {
      const groups = new Map(lines.slice(start, start + LOOKUP_BATCH));
      const { sql, parameters } = rowIn(
        [this.group.name],
        [...groups.keys()].map((group) => [group]),
      );
      const select = `SELECT ${keys.join()} FROM ${name} WHERE ${this.flag.name} = 1 AND ${sql}`;
      const stored = await query(select, parameters);
      for (const row of stored) {
        const values = keys.map((key) => row[key]);
        if (inFile.has(keyText(values))) continue;
        const group = String(row[this.group.name]);
        report(
          groups.get(group)!,
          this.source.label(this.flag),
          this.problem(
            group,
            `in a stored row that is not in the file: ${values.join(', ')}; add that row with false, or pass --replace`,
          ),
        );
      }
    }
  }

  private problem(group: string, other: string): string {
    return `may be true in one row per ${this.group.name}, but for ${group} it is already true ${other}`;
  }

  private groupOf(values: RowValues): string | undefined {
    const { columns } = this.source;
    return values[columns.indexOf(this.flag)] === true ? String(values[columns.indexOf(this.group)]) : undefined;
  }
}
