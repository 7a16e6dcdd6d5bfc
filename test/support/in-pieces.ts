/** Bytes as a stream would hand them on, in pieces of one size; all at once by default. */
export async function* inPieces(content: string | Buffer, size = Infinity): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(content as string);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Sizes of pieces that cut characters, line breaks, quotes and escapes everywhere. */
export const PIECE_SIZES = [1, 2, 3, 7, Infinity];
