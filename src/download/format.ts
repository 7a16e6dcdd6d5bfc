import type { Offer } from '../http/accept.js';

/** The elements of an answer as JSON, the separator before each, in batches; no batch is empty. */
export type ElementBatches = AsyncIterable<string | Buffer>;

/** The pieces of a body. There is one at least, which may be empty; the first is sent as soon as it is there. */
export type Pieces = AsyncGenerator<string | Buffer, void>;

/** How elements become a body. As an {@link Offer} it says what may be asked for. */
export interface Format extends Offer {
  readonly contentType: string;
  /** What it wants before each element, one byte. */
  readonly separator: string;
  /** @param keys those of each element, in order */
  write(batches: ElementBatches, keys: readonly string[]): Pieces;
}
