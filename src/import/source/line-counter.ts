export const LINE_FEED = 0x0a;
export const CARRIAGE_RETURN = 0x0d;

/** Counts the lines of a file that is read in pieces. Lines end in CRLF, LF or CR. */
export class LineCounter {
  /** The line number of the next byte, counted from 1. */
  line = 1;
  private previous = 0;

  /** Returns the line number of a byte of the next bytes. */
  lineAt(bytes: Buffer, index: number): number {
    const copy = Object.assign(new LineCounter(), this);
    copy.add(bytes.subarray(0, index));
    return copy.line;
  }

  add(bytes: Buffer): void {
    let { line, previous } = this;
    for (let index = 0; index < bytes.length; index++) {
      const byte = bytes[index]!;
      if (byte === CARRIAGE_RETURN || (byte === LINE_FEED && previous !== CARRIAGE_RETURN)) line++;
      previous = byte;
    }
    Object.assign(this, { line, previous });
  }
}
