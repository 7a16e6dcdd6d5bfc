import { yieldToEventLoop } from '../event-loop/yield-to-event-loop.js';
import { csvWriter } from '../resource/csv-writer.js';
import type { Format } from './format.js';

const DELIMITERS = { comma: ',', semicolon: ';' } as const;
const DECIMAL_SIGNS = { point: '.', comma: ',' } as const;
const MARKS = { 0: '', 1: '\uFEFF' } as const;

/** The parameters that a request may choose. */
interface Parameters {
  delimiter: keyof typeof DELIMITERS;
  /** The decimal sign of numbers. A comma requires the semicolon as the delimiter. */
  decimal: keyof typeof DECIMAL_SIGNS;
  /** 1 to begin with a byte-order mark, which some spreadsheets need. */
  bom: `${keyof typeof MARKS}`;
}

const DEFAULTS: Parameters = { delimiter: 'comma', decimal: 'point', bom: '0' };

/** The number of characters per piece. Writing a whole batch of long texts at once would delay other requests. */
const PIECE = 64 * 1024;

/**
 * Writes a header line and one row per element.
 * @param variant the parameters that differ from the default; `Content-Type` repeats them
 */
export const csv = (variant: Partial<Parameters> = {}): Format => ({
  type: 'text/csv',
  parameters: { charset: 'utf-8', header: 'present', ...DEFAULTS, ...variant },
  contentType: `text/csv; charset=utf-8; header=present${Object.entries(variant)
    .map(([name, value]) => `; ${name}=${value}`)
    .join('')}`,
  separator: '\n',
  async *write(batches, keys) {
    const { delimiter, decimal, bom } = { ...DEFAULTS, ...variant };
    const writer = csvWriter(keys, DELIMITERS[delimiter], DECIMAL_SIGNS[decimal]);
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

/**
 * Yields the lines of a batch one at a time, because a batch may be many MB long. Each element follows a line break and
 * contains none.
 */
function* linesOf(batch: string | Buffer): Generator<string> {
  const bytes = Buffer.from(batch);
  for (let start = 1, end; start < bytes.length; start = end + 1) {
    end = bytes.indexOf('\n', start);
    if (end < 0) end = bytes.length;
    yield bytes.toString('utf8', start, end);
  }
}
