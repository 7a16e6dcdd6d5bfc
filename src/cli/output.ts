import type { Readable } from 'node:stream';

/** The streams of a command. It writes its results to `stdout` and everything else to `stderr`. */
export interface Output {
  stdin?: Readable;
  stdout: { write(text: string): unknown };
  stderr: { write(text: string): unknown; isTTY?: boolean };
}

/** Writes lines to standard output. */
export type Print = (text: string) => void;
