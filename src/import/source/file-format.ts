/** Other formats: the first bytes of a file, other bytes near its beginning, and the remedy that the message shows. */
const FORMATS: readonly (readonly [magic: string, contains: RegExp, remedy: string])[] = [
  [
    'PK\u0003\u0004',
    /\[Content_Types\]\.xml|xl\/|_rels\/|docProps\//,
    'an Excel workbook (ZIP); save it as "CSV UTF-8" in Excel',
  ],
  ['PK\u0003\u0004', /opendocument/, 'an OpenDocument file (ZIP); save it as "Text CSV", character set UTF-8'],
  ['PK\u0005\u0006', /^/, 'an empty ZIP archive; export the data again'],
  ['PK\u0003\u0004', /^/, 'a ZIP archive; unpack it and name the file in it'],
  ['\u00d0\u00cf\u0011\u00e0', /^/, 'an old Excel workbook (XLS); save it as "CSV UTF-8" in Excel'],
  ['', /^[\s\S]{257}ustar/, 'a TAR archive; unpack it and name the file in it'],
  ['%PDF', /^/, 'a PDF document; ask for the data as CSV'],
  ...['BZh', '\u00fd7zXZ', '7z\u00bc\u00af', '\u0028\u00b5\u002f\u00fd', 'Rar!'].map(
    (magic) => [magic, /^[^\s,;|]+$|[^\t -~]/, 'a compressed file other than gzip; unpack it'] as const,
  ),
  ['SQLite format 3', /^/, 'an SQLite database; export its table as CSV'],
  [
    '',
    /^\s*<(!doctype html|html|table)[\s>]/i,
    'HTML, such as a web page or an .xls file that is not a workbook; save it as CSV UTF-8',
  ],
  ['', /^\s*<(\?xml|!|[a-z][^\s>,;]*( [^>]*)?>\s*<)/i, 'XML; export CSV instead, or convert it'],
];

const HEAD = 4096;
/** Latin letters in UTF-16 have a zero in every other byte. This share of zeros among all bytes is enough. */
const MIN_ZERO_SHARE = 0.3;
/** Text in UTF-16 has almost no zeros among the other bytes, unlike a TAR archive. */
const MAX_OTHER_SHARE = 0.05;
/** Shorter files are too short to judge. */
const MIN_BYTES = 8;

/** Names the format of a file that is neither CSV nor JSON, with the remedy; undefined if it may be one of them. */
export function formatFault(head: Buffer): string | undefined {
  const text = head.toString('latin1', 0, HEAD).replace(/^\u00ef\u00bb\u00bf/, '');
  const found = FORMATS.find(([magic, contains]) => text.startsWith(magic) && contains.test(text));
  return found && `this is ${found[2]}`;
}

/** Returns the byte order if a file without a byte-order mark is UTF-16, else undefined. */
export function unmarkedUtf16(head: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const start = head.subarray(0, HEAD);
  const zeros = [0, 1].map((parity) => start.filter((byte, at) => byte === 0 && at % 2 === parity).length);
  if (start.length < MIN_BYTES || Math.max(...zeros) < start.length * MIN_ZERO_SHARE) return undefined;
  if (Math.min(...zeros) > start.length * MAX_OTHER_SHARE) return undefined;
  return zeros[1]! > zeros[0]! ? 'utf-16le' : 'utf-16be';
}
