import type { WriteSession } from '../database/engine.js';
import type { FieldDeclaration } from '../resource/field.decorator.js';
import { KeyIndex } from './key-index.js';
import type { ReportProblem, TableSource } from './source/table-source.js';
import { keyText, type RowValues } from './table-rows.js';

const LOOKUP_BATCH = 500;

/** Holds a table to a flag that at most one row of each group may have, see `onePer` of a column's declaration. */
export class OnePerGroup {
  /** Groups that have a row with the flag in the file, each with its line. */
  private readonly flagged = new KeyIndex();
  /** Of these, those whose row is not stored as it is: only they can come into conflict with what is stored. */
  private readonly written = new KeyIndex();

  private constructor(
    private readonly source: TableSource,
    private readonly flag: FieldDeclaration,
    private readonly group: FieldDeclaration,
  ) {}

  /** Undefined where the source has no such flag. */
  static of(source: TableSource): OnePerGroup | undefined {
    const flag = source.columns.find(({ onePer }) => onePer);
    const group = source.columns.find(({ name }) => name === flag?.onePer);
    return flag && group && new OnePerGroup(source, flag, group);
  }

  /** Notes a row of the file, and complains where its group has one with the flag already. */
  note(values: RowValues, line: number, report: ReportProblem): void {
    const group = this.groupOf(values);
    const earlier = group === undefined ? undefined : this.flagged.add(group, line);
    if (earlier !== undefined) report(line, this.source.label(this.flag), this.problem(group!, `line ${earlier}`));
  }

  /** Notes a row that is added or changed. */
  noteWritten(values: RowValues): void {
    const group = this.groupOf(values);
    if (group !== undefined) this.written.add(group, this.flagged.get(group) ?? 0);
  }

  /** Complains of groups of which another row, stored and not in the file, has the flag, too. */
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
            `a stored row that is not in the file: ${values.join(', ')}; give it, too, with false, or use --replace`,
          ),
        );
      }
    }
  }

  private problem(group: string, other: string): string {
    return `may be true once for each ${this.group.name}, and ${group} has it on ${other}`;
  }

  private groupOf(values: RowValues): string | undefined {
    const { columns } = this.source;
    return values[columns.indexOf(this.flag)] === true ? String(values[columns.indexOf(this.group)]) : undefined;
  }
}
