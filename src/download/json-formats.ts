import type { Format } from './format.js';

/** One array. Parameters of its media type have no meaning (RFC 8259 §11). */
export const jsonArray: Format = {
  type: 'application/json',
  contentType: 'application/json; charset=utf-8',
  separator: ',',
  async *write(batches) {
    let hasStarted = false;
    for await (const batch of batches) {
      yield hasStarted ? batch : withFirstByte('[', batch);
      hasStarted = true;
    }
    yield hasStarted ? ']' : '[]';
  },
};

/** One element on each line. */
export const jsonLines: Format = {
  type: 'application/x-ndjson',
  parameters: { charset: 'utf-8' },
  contentType: 'application/x-ndjson; charset=utf-8',
  separator: '\n',
  async *write(batches) {
    let hasStarted = false;
    for await (const batch of batches) {
      yield hasStarted ? batch : Buffer.from(batch).subarray(1);
      hasStarted = true;
    }
    yield hasStarted ? '\n' : '';
  },
};

function withFirstByte(byte: string, batch: string | Buffer): Buffer {
  const bytes = Buffer.from(batch);
  bytes.write(byte);
  return bytes;
}
