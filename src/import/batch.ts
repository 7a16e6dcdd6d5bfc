import type { WriteSession } from '../database/engine.js';
import type { SourceRow } from './source/table-source.js';

/** More rows in one statement save nothing that could be measured. */
const ROWS = 1000;
const CHARACTERS = 250_000;
/** A UTF-16 unit takes at most three bytes of UTF-8; one that is escaped takes two. */
const BYTES_A_CHARACTER = 3;
/** What stands around the rows of a statement. */
const STATEMENT_BYTES = 10_000;
/** Quotes, commas and placeholders around a value. */
const AROUND_A_VALUE = 4;

/** Puts rows together that one statement can hold, whatever its limits are. */
export class Batches {
  private rows: SourceRow[] = [];
  private characters = 0;
  private readonly mostRows: number;
  private readonly mostCharacters: number;

  constructor({ parameters, bytes }: WriteSession['limits'], columns: number) {
    this.mostRows = Math.max(1, Math.min(ROWS, Math.floor(parameters / columns)));
    this.mostCharacters = Math.min(CHARACTERS, (bytes - STATEMENT_BYTES) / BYTES_A_CHARACTER);
  }

  /** Adds a row. @returns the batch before it, where that would not hold it, too */
  add(row: SourceRow): readonly SourceRow[] | undefined {
    const characters = row.cells.reduce((sum, cell) => sum + AROUND_A_VALUE + String(cell).length, 0);
    const full = this.rows.length >= this.mostRows || this.characters + characters > this.mostCharacters;
    const before = full && this.rows.length ? this.take() : undefined;
    this.rows.push(row);
    this.characters += characters;
    return before;
  }

  /** What is there now. */
  take(): readonly SourceRow[] {
    this.characters = 0;
    return this.rows.splice(0);
  }
}
