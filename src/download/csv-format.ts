import { yieldToEventLoop } from '../event-loop/yield-to-event-loop.js';
import { csvWriter } from '../resource/csv-writer.js';
import type { Format } from './format.js';

const DELIMITERS = { comma: ',', semicolon: ';' } as const;
const MARKS = { 0: '', 1: '\uFEFF' } as const;

/** So many characters are written in one go, or a few more: a batch of long texts would keep others waiting. */
const PIECE = 64 * 1024;

/** A header, and an element a row. @param bom whether a byte-order mark comes first, which some spreadsheets need */
export const csv = (delimiter: keyof typeof DELIMITERS, bom: keyof typeof MARKS): Format => ({
  type: 'text/csv',
  parameters: { charset: 'utf-8', header: 'present', delimiter, bom: String(bom) },
  contentType: 'text/csv; charset=utf-8; header=present',
  separator: '\n',
  async *write(batches, keys) {
    const writer = csvWriter(keys, DELIMITERS[delimiter]);
    let piece = MARKS[bom] + writer.header;
    for await (const batch of batches) {
      for (const element of linesOf(batch)) {
        piece += writer.row(element);
        if (piece.length < PIECE) continue;
        yield piece;
        piece = '';
        await yieldToEventLoop();
      }
      if (piece) yield piece;
      piece = '';
    }
    if (piece) yield piece;
  },
});

/** The lines behind a line break each, one by one: all of them may have many MB. No element has a line break in it. */
function* linesOf(batch: string | Buffer): Generator<string> {
  const bytes = Buffer.from(batch);
  for (let start = 1, end; start < bytes.length; start = end + 1) {
    end = bytes.indexOf('\n', start);
    if (end < 0) end = bytes.length;
    yield bytes.toString('utf8', start, end);
  }
}
