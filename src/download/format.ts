import { turn } from '../database/turn.js';
import type { Offer } from '../http/accept.js';
import { csvWriter } from '../resource/csv-writer.js';

/** The elements of an answer as JSON, the separator before each, in batches; no batch is empty. */
export type Batches = AsyncIterable<string | Buffer>;

/** The pieces of a body; there is one at least, which may be empty. */
export type Pieces = AsyncGenerator<string | Buffer, void>;

/** How elements become a body. What may be asked for is what they say as an {@link Offer}. */
export interface Format extends Offer {
  readonly contentType: string;
  /** What it wants before each element, one byte. */
  readonly separator: string;
  /** @param keys those of each element, in order */
  write(batches: Batches, keys: readonly string[]): Pieces;
}

const jsonArray: Format = {
  type: 'application/json',
  contentType: 'application/json; charset=utf-8',
  separator: ',',
  async *write(batches) {
    let opened = false;
    for await (const batch of batches) {
      yield opened ? batch : withFirstByte('[', batch);
      opened = true;
    }
    yield opened ? ']' : '[]';
  },
};

const jsonLines: Format = {
  type: 'application/x-ndjson',
  parameters: { charset: 'utf-8' },
  contentType: 'application/x-ndjson; charset=utf-8',
  separator: '\n',
  async *write(batches) {
    let begun = false;
    for await (const batch of batches) {
      yield begun ? batch : Buffer.from(batch).subarray(1);
      begun = true;
    }
    yield begun ? '\n' : '';
  },
};

const DELIMITERS = { comma: ',', semicolon: ';' } as const;
const MARKS = { 0: '', 1: '\uFEFF' } as const;

/** So many characters are written in one go, or a few more: a batch of long texts would take many times as long. */
const PIECE = 128 * 1024;

const csv = (delimiter: keyof typeof DELIMITERS, bom: keyof typeof MARKS): Format => ({
  type: 'text/csv',
  parameters: { charset: 'utf-8', header: 'present', delimiter, bom: String(bom) },
  contentType: 'text/csv; charset=utf-8; header=present',
  separator: '\n',
  async *write(batches, keys) {
    const writer = csvWriter(keys, DELIMITERS[delimiter]);
    let piece = MARKS[bom] + writer.header;
    for await (const batch of batches) {
      // No JSON of an element has a line break in it.
      for (const element of batch.toString().slice(1).split('\n')) {
        piece += writer.row(element);
        if (piece.length < PIECE) continue;
        yield piece;
        piece = '';
        await turn();
      }
      if (piece) yield piece;
      piece = '';
    }
    if (piece) yield piece;
  },
});

/** All formats, the default first; and so are those of `text/csv` without parameters. */
export const FORMATS = [
  jsonArray,
  jsonLines,
  csv('comma', 0),
  csv('comma', 1),
  csv('semicolon', 0),
  csv('semicolon', 1),
] as const;

export const FORMATS_IN_WORDS =
  'application/json, application/x-ndjson, or text/csv, which may have bom=1 and delimiter=semicolon';

function withFirstByte(byte: string, batch: string | Buffer): Buffer {
  const bytes = Buffer.from(batch);
  bytes.write(byte);
  return bytes;
}
