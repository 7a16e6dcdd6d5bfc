/** Bytes that are taken at a time; also the most that a key may have. */
const PAGE = 1 << 20;

/**
 * Which keys were seen, and a number for each, say its line. Exact, and outside of the heap: a key takes its UTF-8 bytes
 * and some 25 more, where a Map takes about 100 that the garbage collector walks through again and again.
 */
export class KeyIndex {
  private readonly pages: Buffer[] = [Buffer.allocUnsafe(PAGE)];
  /** Where the next key goes, in the last page. */
  private used = 0;
  /** Where each entry's bytes are, by entry: number of the page × PAGE + place in it. */
  private starts = new Uint32Array(1 << 10);
  private lengths = new Uint32Array(1 << 10);
  private numbers = new Uint32Array(1 << 10);
  /** Entry + 1 of the key that hashes here or before; 0: free. Twice as many as there may be entries, a power of two. */
  private slots = new Uint32Array(1 << 11);
  size = 0;

  /** Notes a key. @returns the number that it has already, if it is there; then that one stays */
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

  /** The number of a key, if it is there. */
  get(key: string): number | undefined {
    const entry = this.slots[this.find(this.write(key))];
    return entry ? this.numbers[entry - 1] : undefined;
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  /** All keys with their numbers, in the order in which they came. */
  *entries(): Generator<[key: string, number: number]> {
    for (let entry = 0; entry < this.size; entry++) {
      const start = this.starts[entry]!;
      const place = start % PAGE;
      const key = this.pages[Math.floor(start / PAGE)]!.toString('utf8', place, place + this.lengths[entry]!);
      yield [key, this.numbers[entry]!];
    }
  }

  /** Writes the key behind the last entry, where it is compared, and stays if it is new. @returns how many bytes it has */
  private write(key: string): number {
    // A UTF-16 unit takes at most three bytes of UTF-8.
    if (this.used + key.length * 3 > PAGE) {
      if (key.length * 3 > PAGE) throw new RangeError('The key is too long');
      this.pages.push(Buffer.allocUnsafe(PAGE));
      this.used = 0;
    }
    return this.pages.at(-1)!.write(key, this.used, 'utf8');
  }

  /** The slot of the key that was written last, or the free one where it belongs. */
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
    const room = this.starts.length * 2;
    this.starts = enlarge(this.starts, room);
    this.lengths = enlarge(this.lengths, room);
    this.numbers = enlarge(this.numbers, room);
    this.slots = new Uint32Array(room * 2);
    const mask = this.slots.length - 1;
    for (let entry = 0; entry < this.size; entry++) {
      const start = this.starts[entry]!;
      let slot = hash(this.pages[Math.floor(start / PAGE)]!, start % PAGE, this.lengths[entry]!) & mask;
      while (this.slots[slot]) slot = (slot + 1) & mask;
      this.slots[slot] = entry + 1;
    }
  }
}

/** FNV-1a, mixed once more, since only the lowest bits count. */
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
