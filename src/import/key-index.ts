/** Bytes allocated at a time. A longer key cannot be stored. */
const PAGE = 1 << 20;

/**
 * A map from keys to numbers, such as the line of each key. It is exact and lives outside of the heap: a key takes its
 * UTF-8 bytes plus about 25 bytes. In a `Map` it takes about 100 bytes, which the garbage collector visits repeatedly.
 */
export class KeyIndex {
  private readonly pages: Buffer[] = [Buffer.allocUnsafe(PAGE)];
  /** Bytes used in the last page. The next key starts there. */
  private used = 0;
  /** Start of each entry's bytes: index of the page × PAGE + offset in the page. */
  private starts = new Uint32Array(1 << 10);
  private lengths = new Uint32Array(1 << 10);
  private numbers = new Uint32Array(1 << 10);
  /**
   * Hash table with linear probing. Each slot contains an entry + 1, or 0 if it is free. Its length is a power of two,
   * twice the capacity for entries.
   */
  private slots = new Uint32Array(1 << 11);
  size = 0;

  /**
   * Adds a key. If the key exists, it keeps its number.
   * @returns the existing number; undefined if the key is new
   * @throws {RangeError} if the key is too long
   */
  add(key: string, number: number): number | undefined {
    const length = this.write(key);
    const slot = this.find(length);
    if (this.slots[slot]) return this.numbers[this.slots[slot]! - 1];
    this.starts[this.size] = (this.pages.length - 1) * PAGE + this.used;
    this.lengths[this.size] = length;
    this.numbers[this.size] = number;
    this.slots[slot] = ++this.size;
    this.used += length;
    if (this.size === this.starts.length) this.grow();
    return undefined;
  }

  /** The number of a key; undefined if the key does not exist. */
  get(key: string): number | undefined {
    const entry = this.slots[this.find(this.write(key))];
    return entry ? this.numbers[entry - 1] : undefined;
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  /** All keys with their numbers, in the order of insertion. */
  *entries(): Generator<[key: string, number: number]> {
    for (let entry = 0; entry < this.size; entry++) {
      const start = this.starts[entry]!;
      const place = start % PAGE;
      const key = this.pages[Math.floor(start / PAGE)]!.toString('utf8', place, place + this.lengths[entry]!);
      yield [key, this.numbers[entry]!];
    }
  }

  /**
   * Writes the key after the last entry, where it can be compared. A new key stays there. @returns its length in bytes
   */
  private write(key: string): number {
    // A UTF-16 code unit takes at most three bytes in UTF-8.
    if (this.used + key.length * 3 > PAGE) {
      if (key.length * 3 > PAGE) throw new RangeError('The key is too long');
      this.pages.push(Buffer.allocUnsafe(PAGE));
      this.used = 0;
    }
    return this.pages.at(-1)!.write(key, this.used, 'utf8');
  }

  /** The slot of the key that was written last, or the free slot for it. */
  private find(length: number): number {
    const page = this.pages.at(-1)!;
    const mask = this.slots.length - 1;
    let slot = hash(page, this.used, length) & mask;
    for (let entry = this.slots[slot]!; entry; entry = this.slots[slot]!) {
      if (this.isEntry(entry - 1, page, length)) return slot;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private isEntry(entry: number, page: Buffer, length: number): boolean {
    if (this.lengths[entry] !== length) return false;
    const start = this.starts[entry]!;
    const other = this.pages[Math.floor(start / PAGE)]!;
    const place = start % PAGE;
    for (let offset = 0; offset < length; offset++)
      if (other[place + offset] !== page[this.used + offset]) return false;
    return true;
  }

  private grow(): void {
    const capacity = this.starts.length * 2;
    this.starts = enlarge(this.starts, capacity);
    this.lengths = enlarge(this.lengths, capacity);
    this.numbers = enlarge(this.numbers, capacity);
    this.slots = new Uint32Array(capacity * 2);
    const mask = this.slots.length - 1;
    for (let entry = 0; entry < this.size; entry++) {
      const start = this.starts[entry]!;
      let slot = hash(this.pages[Math.floor(start / PAGE)]!, start % PAGE, this.lengths[entry]!) & mask;
      while (this.slots[slot]) slot = (slot + 1) & mask;
      this.slots[slot] = entry + 1;
    }
  }
}

/** FNV-1a with a final mix, because only the lowest bits are used. */
function hash(bytes: Buffer, start: number, length: number): number {
  let sum = 0x811c9dc5;
  for (let index = start; index < start + length; index++) sum = Math.imul(sum ^ bytes[index]!, 0x01000193);
  sum = Math.imul(sum ^ (sum >>> 15), 0x2c1b3c6d);
  return (sum ^ (sum >>> 13)) >>> 0;
}

function enlarge(values: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(length);
  larger.set(values);
  return larger;
}
