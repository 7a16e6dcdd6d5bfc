/**
 * Yields the same bytes, but joins the first pieces until they are long enough to recognize the beginning of the file.
 * @param enough whether the bytes so far are long enough; if it never returns true, the first piece is the whole file
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
