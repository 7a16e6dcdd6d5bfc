import { brotliDecompressSync, gunzipSync } from 'node:zlib';

/** Decoders of a body by its `Content-Encoding`. `identity`: there is no such header. */
export const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  identity: (bytes) => bytes,
  gzip: (bytes) => gunzipSync(bytes),
  br: (bytes) => brotliDecompressSync(bytes),
};
