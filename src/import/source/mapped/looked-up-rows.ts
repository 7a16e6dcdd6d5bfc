import { createHash } from 'node:crypto';
import { KeyIndex } from '../../key-index.js';
import { TextStore } from './text-store.js';

type Cells = readonly string[];

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
  private readonly texts = new TextStore();
  /** By entry of `keys` and kept column: the text's number, or NOT_KEPT. */
  private readonly cells: number[] = [];
  /** The keys that rows refer to; undefined: any. */
  private wanted?: KeyIndex = new KeyIndex();

  /** @param positions the columns that make up the key */
  constructor(private readonly positions: readonly number[]) {}

  /** Keeps the cells of this column. To be called before the first row is noted. */
  keep(position: number): void {
    if (!this.kept.includes(position)) this.kept.push(position);
  }

  /** Keeps the rows of all keys, because they are not known beforehand. */
  wantAll(): void {
    this.wanted = undefined;
  }

  get wantsAll(): boolean {
    return !this.wanted;
  }

  want(key: readonly string[]): void {
    const name = nameOf(key);
    if (name !== undefined) this.wanted?.add(name, 0);
  }

  note(cells: Cells): void {
    const name = nameOf(this.positions.map((position) => cells[position]!));
    if (name === undefined || this.wanted?.has(name) === false) return;
    const size = this.keys.size;
    const entry = this.keys.add(name, size) ?? size;
    if (entry === size) for (let column = 0; column < this.kept.length; column++) this.cells.push(NOT_KEPT);
    for (const [column, position] of this.kept.entries()) {
      const place = entry * this.kept.length + column;
      const cell = cells[position]!;
      if (this.cells[place] === NOT_KEPT && cell.trim() !== '') this.cells[place] = this.texts.add(cell);
    }
  }

  /**
   * @returns the cell, '' if it is empty in all rows of the key; undefined if no row has this key; null if there is no key
   *   to look for
   */
  find(key: readonly string[], position: number): string | undefined | null {
    const name = nameOf(key);
    if (name === undefined) return null;
    const entry = this.keys.get(name);
    if (entry === undefined) return undefined;
    const number = this.cells[entry * this.kept.length + this.kept.indexOf(position)]!;
    return number === NOT_KEPT ? '' : this.texts.get(number);
  }
}

/** One text for a key; undefined if a part of it is empty. */
function nameOf(key: readonly string[]): string | undefined {
  const parts = key.map((part) => part.trim());
  if (parts.includes('')) return undefined;
  const name = parts.join('\0');
  return name.length > LONGEST_KEY ? createHash('sha256').update(name).digest('base64') : name;
}
