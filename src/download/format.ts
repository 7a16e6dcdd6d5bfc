import type { Offer } from '../http/accept.js';

/** The elements of a response as JSON in batches, each element after the separator. No batch is empty. */
export type ElementBatches = AsyncIterable<string | Buffer>;

/** The pieces of a body: at least one, which may be empty. The first is sent at once. */
export type Pieces = AsyncGenerator<string | Buffer, void>;

/** Writes elements as a body. As an {@link Offer}, it describes what a client may accept. */
export interface Format extends Offer {
  readonly contentType: string;
  /** The byte before each element. */
  readonly separator: string;
  /** @param keys the keys of each element, in order */
  write(batches: ElementBatches, keys: readonly string[]): Pieces;
}
