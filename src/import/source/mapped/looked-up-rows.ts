import { createHash } from 'node:crypto';
import { KeyIndex } from '../../key-index.js';

/** Longer keys are kept as their hash. */
const LONGEST_KEY = 200;
const NOT_KEPT = -1;

/**
 * The cells of a file that rules look up by a key: of all rows with that key, the first cell that is not empty, whatever
 * the order of the rows.
 */
export class LookedUpRows {
  private readonly kept: number[] = [];
  private readonly keys = new KeyIndex();
  /** By entry of `keys` and kept column: the number of the cell's text, or NOT_KEPT. */
  private readonly cells: number[] = [];

  /** @param positions the columns that make up the key */
  constructor(private readonly positions: readonly number[]) {}

  /** Keeps the cells of this column. To be called before the first row is noted. */
  keep(position: number): void {
    if (!this.kept.includes(position)) this.kept.push(position);
  }

  /** @param store stores the text of a column's cell, and returns its number */
  note(cells: readonly string[], store: (position: number) => number): void {
    const name = nameOf(this.positions.map((position) => cells[position]!));
    if (name === undefined) return;
    const { length } = this.kept;
    const size = this.keys.size;
    const entry = this.keys.add(name, size) ?? size;
    if (entry === size) for (let column = 0; column < length; column++) this.cells.push(NOT_KEPT);
    for (let column = 0; column < length; column++) {
      const [place, position] = [entry * length + column, this.kept[column]!];
      if (this.cells[place] === NOT_KEPT && cells[position]!.trim() !== '') this.cells[place] = store(position);
    }
  }

  /**
   * @returns the number of the text, `empty` if the cell is empty in all rows of the key; undefined if no row has this key;
   *   null if there is no key to look for
   */
  find(key: readonly string[], position: number): number | 'empty' | undefined | null {
    const name = nameOf(key);
    if (name === undefined) return null;
    const entry = this.keys.get(name);
    if (entry === undefined) return undefined;
    const number = this.cells[entry * this.kept.length + this.kept.indexOf(position)]!;
    return number === NOT_KEPT ? 'empty' : number;
  }
}

/** One text for a key; undefined if a part of it is empty. */
function nameOf(key: readonly string[]): string | undefined {
  const parts = key.map((part) => part.trim());
  if (parts.includes('')) return undefined;
  const name = parts.join('\0');
  return name.length > LONGEST_KEY ? createHash('sha256').update(name).digest('base64') : name;
}
