import { addAbortSignal } from 'node:stream';
import { type BrotliCompress, constants, createBrotliCompress, createGzip, type Gzip } from 'node:zlib';
import type { Pieces } from './format.js';

export const ENCODINGS = ['br', 'gzip', 'identity'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/**
 * In bytes. The compressed output of one block usually fits into one buffer of this size, so a block occupies a thread
 * only once.
 */
const chunkSize = 64 * 1024;
/** Low levels, because higher levels take several times as long and save few bytes. */
const GZIP = { level: 1, chunkSize };
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 }, chunkSize };

/**
 * Sizes in bytes of the first block and of all others. Compressed output depends on where the input is split, so every
 * body is split at the same positions. The compressor flushes the first block, so that the service sends the first
 * bytes early. This block is smaller than the first batch of any body that has several batches.
 */
const FIRST_BLOCK = 16 * 1024;
const BLOCK = 128 * 1024;

const COMPRESSORS = {
  br: { create: () => createBrotliCompress(BROTLI), parameters: [process.versions.brotli, BROTLI] },
  gzip: { create: () => createGzip(GZIP), parameters: [process.versions.zlib, GZIP] },
};

/**
 * Everything besides the body that determines the compressed bytes. Undefined for `identity`. It includes the processor
 * architecture, because the libraries may use other instructions there.
 */
export function compressionParameters(encoding: Encoding): unknown {
  if (encoding === 'identity') return undefined;
  return [...COMPRESSORS[encoding].parameters, process.arch, FIRST_BLOCK, BLOCK];
}

/**
 * Returns the body in an encoding. Equal bodies compress to equal bytes. Compression runs on threads of the runtime.
 * @param signal aborts when the bytes are no longer needed; reading the body then stops
 */
export function encoded(body: Pieces, encoding: Encoding, signal: AbortSignal): Pieces {
  if (encoding === 'identity') return body;
  return compressed(body, addAbortSignal(signal, COMPRESSORS[encoding].create()));
}

async function* compressed(body: Pieces, compressor: Gzip | BrotliCompress): Pieces {
  const feeding = feed(compressor, body).catch((error: Error) => void compressor.destroy(error));
  try {
    for await (const bytes of compressor) yield bytes as Buffer;
  } finally {
    compressor.destroy();
    await feeding;
  }
}

/**
 * Writes each block after the compressor has processed the previous one, and ends the compressor after the last. Ending
 * the compressor earlier would merge the end with a block or a flush, which would change the bytes. While the
 * compressor works, the next block is read.
 */
async function feed(compressor: Gzip | BrotliCompress, body: Pieces): Promise<void> {
  // A destroyed compressor may never invoke the callback of a write.
  const closed = new Promise<void>((resolve) => compressor.once('close', resolve));
  const processed = (start: (done: () => void) => void) => Promise.race([new Promise<void>(start), closed]);
  let previous: Promise<void> | undefined;
  for await (const block of blocksOf(body, compressor)) {
    const isFirst = !previous;
    await previous;
    previous = processed((done) => compressor.write(block, done));
    if (isFirst) previous = previous.then(() => processed((done) => compressor.flush(done)));
  }
  await previous;
  compressor.end();
}

/** Splits the body into blocks. Stops when the compressor is destroyed. */
async function* blocksOf(body: Pieces, compressor: Gzip | BrotliCompress): AsyncGenerator<Buffer> {
  let size = FIRST_BLOCK;
  let pending: Buffer[] = [];
  let missing = size;
  for await (const piece of body) {
    if (compressor.destroyed) return;
    let bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    for (; bytes.length >= missing; pending = [], missing = size = BLOCK) {
      yield Buffer.concat([...pending, bytes.subarray(0, missing)]);
      bytes = bytes.subarray(missing);
    }
    if (!bytes.length) continue;
    pending.push(bytes);
    missing -= bytes.length;
  }
  if (pending.length) yield Buffer.concat(pending);
}
