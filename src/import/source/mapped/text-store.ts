const PAGE = 1 << 20;

/** Stores texts as UTF-8 outside the heap, so that the garbage collector does not traverse them. */
export class TextStore {
  private pages: Buffer[] = [];
  private used = PAGE;
  /** Three numbers for each text: its page, its offset in the page in bytes, and its length in bytes. */
  private readonly places: number[] = [];

  /** @returns the number by which `get` finds the text */
  add(text: string): number {
    const length = Buffer.byteLength(text);
    if (this.used + length > PAGE || !this.pages.length) {
      this.pages.push(Buffer.allocUnsafe(Math.max(PAGE, length)));
      this.used = 0;
    }
    this.pages.at(-1)!.write(text, this.used);
    this.places.push(this.pages.length - 1, this.used, length);
    this.used += length;
    return this.places.length / 3 - 1;
  }

  get(number: number): string {
    const [page, start, length] = [0, 1, 2].map((part) => this.places[number * 3 + part]!);
    return this.pages[page!]!.toString('utf8', start, start! + length!);
  }
}
