/**
 * Yields the same bytes, but joins the first pieces until they suffice to judge the beginning of the file.
 * @param enough whether the bytes so far suffice; if it never returns true, the first piece is the whole file
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
