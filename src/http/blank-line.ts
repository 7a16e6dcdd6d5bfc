const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Finds the blank line that ends the head of a request or a chunked body. The bytes may be split anywhere. */
export class BlankLine {
  private lineHasText = false;
  private textBefore = false;

  /**
   * Returns the number of bytes up to the end of the first blank line that follows text, or the number of all bytes if
   * there is none. Blank lines before a request do not count, because they end nothing.
   */
  endIn(bytes: Buffer): number {
    for (let start = 0; start < bytes.length;) {
      const lineFeed = bytes.indexOf(LINE_FEED, start);
      const end = lineFeed < 0 ? bytes.length : lineFeed;
      this.lineHasText ||= hasText(bytes, start, end);
      if (lineFeed < 0) break;
      start = lineFeed + 1;
      if (this.endsHere()) return start;
    }
    return bytes.length;
  }

  /** Ends a line. @returns whether it is the blank line */
  private endsHere(): boolean {
    const found = this.textBefore && !this.lineHasText;
    this.textBefore = this.lineHasText;
    this.lineHasText = false;
    return found;
  }
}

function hasText(bytes: Buffer, start: number, end: number): boolean {
  return end - start > 1 || (end - start === 1 && bytes[start] !== CARRIAGE_RETURN);
}
