import type { Format } from './format.js';

/** One array. Parameters mean nothing with its type (RFC 8259 §11). */
export const jsonArray: Format = {
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

/** One element on each line. */
export const jsonLines: Format = {
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

function withFirstByte(byte: string, batch: string | Buffer): Buffer {
  const bytes = Buffer.from(batch);
  bytes.write(byte);
  return bytes;
}
