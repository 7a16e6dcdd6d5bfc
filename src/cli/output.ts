import type { Readable } from 'node:stream';

/** What commands read and where they write: answers to `stdout`, everything else to `stderr`. */
export interface Output {
  stdin?: Readable;
  stdout: { write(text: string): unknown };
  stderr: { write(text: string): unknown; isTTY?: boolean };
}
