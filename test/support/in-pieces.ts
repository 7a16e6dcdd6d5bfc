/** Yields bytes like a stream, in pieces of one size. Default: one piece. */
export async function* inPieces(content: string | Buffer, size = Infinity): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(content as string);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Piece sizes that split characters, line breaks, quotes and escapes at every position. */
export const PIECE_SIZES = [1, 2, 3, 7, Infinity];
