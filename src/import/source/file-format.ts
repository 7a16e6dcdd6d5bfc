/** The bytes that the files of other formats begin with, and what to do about such a file. */
const FORMATS: readonly (readonly [begins: RegExp, remedy: string])[] = [
  [/^PK\x03\x04[^]*?(\[Content_Types\]\.xml|xl\/|_rels\/)/, 'an Excel workbook (ZIP); save it as "CSV UTF-8" in Excel'],
  [/^PK\x03\x04[^]*?opendocument/, 'an OpenDocument file (ZIP); save it as "Text CSV", character set UTF-8'],
  [/^PK\x03\x04/, 'a ZIP archive; unpack it and name the file in it'],
  [/^\xd0\xcf\x11\xe0/, 'an old Excel workbook (XLS); save it as "CSV UTF-8" in Excel'],
  [/^%PDF/, 'a PDF document; ask for the data as CSV'],
  [/^(BZh\d|\xfd7zXZ|7z\xbc\xaf|\x28\xb5\x2f\xfd|Rar!)/, 'a compressed file other than gzip; unpack it'],
  [/^SQLite format 3\0/, 'an SQLite database; export its table as CSV'],
  [/^\s*<(!doctype html|html|table)[\s>]/i, 'HTML, such as a web page or an .xls that is none; save it as CSV UTF-8'],
  [/^\s*<(\?xml|!|[a-z][^\s>,;]*( [^>]*)?>\s*<)/i, 'XML; export CSV instead, or convert it'],
];

/** A text of Latin letters in UTF-16 has a zero in every other byte. */
const MOST_ZEROS = 0.3;
const LEAST_BYTES = 8;

/** What to say of a file that is no CSV or JSON, by its first bytes; undefined if it may be one. */
export function formatFault(head: Buffer): string | undefined {
  const text = head.toString('latin1', 0, 4096).replace(/^\xef\xbb\xbf/, '');
  const [, remedy] = FORMATS.find(([begins]) => begins.test(text)) ?? [];
  return remedy && `this is ${remedy}`;
}

/** Whether a file without a byte-order mark is UTF-16, and in which order its bytes are. */
export function unmarkedUtf16(head: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const start = head.subarray(0, 4096);
  const zeros = [0, 1].map((parity) => start.filter((byte, at) => byte === 0 && at % 2 === parity).length);
  if (start.length < LEAST_BYTES || Math.max(...zeros) < start.length * MOST_ZEROS) return undefined;
  return zeros[1]! > zeros[0]! ? 'utf-16le' : 'utf-16be';
}
