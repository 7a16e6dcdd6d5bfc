import { createHash } from 'node:crypto';
import { KeyIndex } from '../../key-index.js';

/** In characters. Longer keys are stored as their hash. */
const MAX_KEY_LENGTH = 200;
/** Represents a cell that is empty in all rows of its key so far. */
const NO_TEXT = -1;

/**
 * The cells of a file that rules look up by a key: the first cell that is not empty among all rows with that key. Rows
 * may refer to rows above or below them.
 */
export class LookedUpRows {
  private readonly storedPositions: number[] = [];
  private readonly keys = new KeyIndex();
  /** For each entry of `keys` and each stored column, the number of the cell's text, or NO_TEXT. */
  private readonly cells: number[] = [];

  /** @param positions the columns that make up the key */
  constructor(private readonly positions: readonly number[]) {}

  /** Stores the cells of this column. Call it before `note`. */
  storeColumn(position: number): void {
    if (!this.storedPositions.includes(position)) this.storedPositions.push(position);
  }

  /**
   * Adds a row.
   * @param store stores the text of a column's cell, and returns its number
   */
  note(cells: readonly string[], store: (position: number) => number): void {
    const name = nameOf(this.positions.map((position) => cells[position]!));
    if (name === undefined) return;
    const { length } = this.storedPositions;
    const size = this.keys.size;
    const entry = this.keys.add(name, size) ?? size;
    if (entry === size) for (let column = 0; column < length; column++) this.cells.push(NO_TEXT);
    for (let column = 0; column < length; column++) {
      const [place, position] = [entry * length + column, this.storedPositions[column]!];
      if (this.cells[place] === NO_TEXT && cells[position]!.trim() !== '') this.cells[place] = store(position);
    }
  }

  /**
   * @returns the number of the text; `empty` if the cell is empty in all rows of the key; undefined if no row has this
   *   key; null if a part of the key is empty
   */
  find(key: readonly string[], position: number): number | 'empty' | undefined | null {
    const name = nameOf(key);
    if (name === undefined) return null;
    const entry = this.keys.get(name);
    if (entry === undefined) return undefined;
    const number = this.cells[entry * this.storedPositions.length + this.storedPositions.indexOf(position)]!;
    return number === NO_TEXT ? 'empty' : number;
  }
}

/** Returns one text for a key, or undefined if a part of it is empty. */
function nameOf(key: readonly string[]): string | undefined {
  const parts = key.map((part) => part.trim());
  if (parts.includes('')) return undefined;
  const name = parts.join('\0');
  return name.length > MAX_KEY_LENGTH ? createHash('sha256').update(name).digest('base64') : name;
}
