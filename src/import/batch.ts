import type { WriteSession } from '../database/engine.js';
import type { SourceRow } from './source/table-source.js';

/** More rows in one statement bring no measurable gain. */
const MAX_ROWS = 1000;
const MAX_CHARACTERS = 250_000;
/** A UTF-16 code unit takes at most three bytes in UTF-8. An escaped one takes two. */
const BYTES_PER_CHARACTER = 3;
/** Bytes reserved for the rest of the statement. */
const STATEMENT_BYTES = 10_000;
/** Characters for the quotes, comma and placeholder of a value. */
const CHARACTERS_AROUND_VALUE = 4;

/** Groups rows into batches that fit into one statement, within the limits of the database. */
export class Batches {
  private rows: SourceRow[] = [];
  private characters = 0;
  private readonly maxRows: number;
  private readonly maxCharacters: number;

  constructor({ parameters, bytes }: WriteSession['limits'], columns: number) {
    this.maxRows = Math.max(1, Math.min(MAX_ROWS, Math.floor(parameters / columns)));
    this.maxCharacters = Math.min(MAX_CHARACTERS, (bytes - STATEMENT_BYTES) / BYTES_PER_CHARACTER);
  }

  /** Adds a row. @returns the full batch, without this row, if the row does not fit into it */
  add(row: SourceRow): readonly SourceRow[] | undefined {
    const characters = sizeOf(row);
    const isFull = this.rows.length >= this.maxRows || this.characters + characters > this.maxCharacters;
    const full = isFull && this.rows.length ? this.take() : undefined;
    this.rows.push(row);
    this.characters += characters;
    return full;
  }

  /** Removes and returns the rows of the current batch, which may be empty. */
  take(): readonly SourceRow[] {
    this.characters = 0;
    return this.rows.splice(0);
  }
}

/** Returns the characters of a row in the statement. A cell with an error counts as empty: its row is not written. */
function sizeOf({ cells }: SourceRow): number {
  let characters = 0;
  for (const cell of cells) characters += CHARACTERS_AROUND_VALUE + (typeof cell === 'string' ? cell.length : 0);
  return characters;
}
