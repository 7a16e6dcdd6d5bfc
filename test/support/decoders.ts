import { brotliDecompressSync, gunzipSync } from 'node:zlib';

/** What makes a body of it again, by `Content-Encoding`; `identity` where there is none. */
export const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  identity: (bytes) => bytes,
  gzip: (bytes) => gunzipSync(bytes),
  br: (bytes) => brotliDecompressSync(bytes),
};
