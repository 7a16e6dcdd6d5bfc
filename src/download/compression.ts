import { addAbortSignal } from 'node:stream';
import { type BrotliCompress, constants, createBrotliCompress, createGzip, type Gzip } from 'node:zlib';
import type { Pieces } from './format.js';

export const ENCODINGS = ['br', 'gzip', 'identity'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** The output of one block mostly fits into one buffer of this size, so a block needs a thread only once. */
const chunkSize = 64 * 1024;
/** Levels are low: higher ones take several times as long and save few bytes. */
const GZIP = { level: 1, chunkSize };
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 }, chunkSize };

/**
 * A compressor gets every body in blocks of these sizes, because its output depends on where the input is split. The first block is flushed, so the first bytes go out early. It is smaller than the first batch of any
 * body of several batches.
 */
const FIRST_BLOCK = 16 * 1024;
const BLOCK = 128 * 1024;

const COMPRESSORS = {
  br: { create: () => createBrotliCompress(BROTLI), parameters: [process.versions.brotli, BROTLI] },
  gzip: { create: () => createGzip(GZIP), parameters: [process.versions.zlib, GZIP] },
};

/**
 * Everything that compressed bytes depend on besides the body. Undefined if the body is not compressed. The libraries
 * may use other instructions on another architecture.
 */
export function compressionParameters(encoding: Encoding): unknown {
  if (encoding === 'identity') return undefined;
  return [...COMPRESSORS[encoding].parameters, process.arch, FIRST_BLOCK, BLOCK];
}

/**
 * The body in an encoding. Threads of the runtime compress it. The same body always gives the same bytes.
 * @param gone aborts when the bytes are no longer needed; then the body is not read further
 */
export function encoded(body: Pieces, encoding: Encoding, gone: AbortSignal): Pieces {
  if (encoding === 'identity') return body;
  return compressed(body, addAbortSignal(gone, COMPRESSORS[encoding].create()));
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
 * Writes each block after the compressor has processed the previous one, and ends the compressor after the last. An
 * earlier end would merge with a block or a flush, and the compressed bytes would differ. The next block is made
 * meanwhile.
 */
async function feed(compressor: Gzip | BrotliCompress, body: Pieces): Promise<void> {
  // A destroyed compressor may never call back.
  const closed = new Promise<void>((resolve) => compressor.once('close', resolve));
  const processed = (give: (done: () => void) => void) => Promise.race([new Promise<void>(give), closed]);
  let before: Promise<void> | undefined;
  for await (const block of blocksOf(body, compressor)) {
    const isFirst = !before;
    await before;
    before = processed((done) => compressor.write(block, done));
    if (isFirst) before = before.then(() => processed((done) => compressor.flush(done)));
  }
  await before;
  compressor.end();
}

/** The body in blocks, until the compressor is destroyed. */
async function* blocksOf(body: Pieces, compressor: Gzip | BrotliCompress): AsyncGenerator<Buffer> {
  let size = FIRST_BLOCK;
  let kept: Buffer[] = [];
  let missing = size;
  for await (const piece of body) {
    if (compressor.destroyed) return;
    let bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    for (; bytes.length >= missing; kept = [], missing = size = BLOCK) {
      yield Buffer.concat([...kept, bytes.subarray(0, missing)]);
      bytes = bytes.subarray(missing);
    }
    if (!bytes.length) continue;
    kept.push(bytes);
    missing -= bytes.length;
  }
  if (kept.length) yield Buffer.concat(kept);
}
