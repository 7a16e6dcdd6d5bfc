/**
 * The same bytes, but all that is needed to judge the beginning of the file in the first piece.
 * @param enough whether the bytes so far are; where they never are, the first piece is the whole file
 */
export async function* joinedHead(
  pieces: AsyncIterable<Buffer>,
  enough: (head: Buffer) => boolean,
): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const piece of pieces) {
    if (head) head = Buffer.concat([head, piece]);
    if (head && !enough(head)) continue;
    yield head ?? piece;
    head = undefined;
  }
  if (head) yield head;
}
