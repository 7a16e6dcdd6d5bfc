import { BlankLine } from './blank-line.js';

/** Returns the offsets at which blank lines end, for a text that arrives in these pieces. */
function endsIn(pieces: readonly string[]): number[] {
  const blankLine = new BlankLine();
  const ends: number[] = [];
  let offset = 0;
  for (const piece of pieces)
    for (let rest = Buffer.from(piece, 'latin1'); rest.length;) {
      const length = blankLine.endIn(rest);
      offset += length;
      rest = rest.subarray(length);
      if (rest.length) ends.push(offset);
    }
  return ends;
}

test.each<[string, string, number[]]>([
  ['a head', 'GET / HTTP/1.1\r\n\r\nNEXT', [18]],
  ['a head whose lines end in LF', 'GET / HTTP/1.1\n\nNEXT', [16]],
  ['two heads', 'A: 1\r\nB: 2\r\n\r\nC: 3\r\n\r\nNEXT', [14, 22]],
  ['a line of one letter', 'A\r\n\r\nNEXT', [5]],
  ['blank lines before a head', '\r\n\r\n\n\r\nA\r\n\r\nNEXT', [12]],
  ['the end of a chunked body', '3\r\nabc\r\n0\r\n\r\nNEXT', [13]],
  ['a chunk that consists of line feeds', '2\r\n\n\n\r\n0\r\n\r\nNEXT', [4, 12]],
  ['no blank line', 'GET / HTTP/1.1\r\nA: 1\r\nB', []],
])('finds the end of %s, in one piece and split anywhere', (_name, text, ends) => {
  expect(endsIn([text])).toEqual(ends);
  for (let split = 1; split < text.length; split++) {
    // A blank line that ends with its piece is not reported, because the caller sees that all bytes were consumed.
    const expected = ends.filter((end) => end !== split);
    expect([split, endsIn([text.slice(0, split), text.slice(split)])]).toEqual([split, expected]);
  }
});
