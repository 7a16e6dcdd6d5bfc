import iconv from 'iconv-lite';
import { quoted } from '../excerpt.js';

/** The most common encodings of product files, apart from UTF-8. */
const LIKELY = [
  ...(['windows-1252', 'windows-1250', 'macroman', 'windows-1251', 'windows-1253', 'windows-1254'] as const),
  ...(['windows-1257', 'iso-8859-2', 'iso-8859-15', 'cp850', 'cp852', 'cp437', 'koi8-r', 'cp866'] as const),
] as const;
/** Two-byte encodings. Most of them decode any run of bytes to some text. */
const LIKELY_ASIAN = ['shift_jis', 'gbk', 'big5', 'euc-kr'];

/** Codecs of iconv-lite that do not encode text. */
const NOT_TEXT = /^(base64|hex)$/i;

const SEPARATORS = /[,;\t|"\r\n]/;
/** The number of readings that the message shows. */
const SHOWN = 8;
/** If a cell is long, the message shows only this many bytes before and after the invalid byte. */
const MAX_BYTES_EACH_SIDE = 60;

/** Returns what is wrong with the name of an encoding, or undefined if it is known. */
export function encodingProblem(name: string): string | undefined {
  if (isUtf8Name(name) || (iconv.encodingExists(name) && !NOT_TEXT.test(name))) return undefined;
  return `must be a known encoding, not ${quoted(name)}; use utf-8, ${LIKELY.join(', ')}, ${LIKELY_ASIAN.join(', ')}, or utf-16`;
}

export function isUtf8Name(name: string): boolean {
  return /^utf-?8$/i.test(name);
}

/**
 * Returns the advice for a line that is not UTF-8. It shows the first affected cell in likely encodings, the most natural
 * reading first.
 * @param line the bytes from the beginning of the line; they may end before the line does
 */
export function encodingAdvice(line: Buffer): string {
  const cell = affectedCell(line);
  const names = [...LIKELY, ...(/[\x80-\xff]{4}/.test(cell.toString('latin1')) ? LIKELY_ASIAN : [])];
  const readings = new Map<string, string[]>();
  for (const name of names) {
    const text = iconv.decode(cell, name);
    if (!/[\uFFFD\p{Cc}\p{Co}]/u.test(text)) readings.set(text, [...(readings.get(text) ?? []), name]);
  }
  const sorted = [...readings].toSorted(([one], [other]) => strangeness(one) - strangeness(other));
  const shown = sorted.slice(0, SHOWN).map(([text, encodings]) => `${quoted(text)} in ${encodings.join(', ')}`);
  if (!shown.length) return 'save the file as UTF-8';
  return `its first affected cell reads ${shown.join('; ')}. Pass the encoding that reads correctly with --encoding, or save the file as UTF-8`;
}

/** Returns the cell that contains the first byte that is not UTF-8. */
function affectedCell(line: Buffer): Buffer {
  const before = line.toString('utf8').split('\uFFFD')[0]!;
  const at = Buffer.byteLength(before);
  const text = line.toString('latin1');
  let start = at;
  while (start > 0 && at - start < MAX_BYTES_EACH_SIDE && !SEPARATORS.test(text[start - 1]!)) start--;
  let end = at + 1;
  while (end < text.length && end - at < MAX_BYTES_EACH_SIDE && !SEPARATORS.test(text[end]!)) end++;
  return line.subarray(start, end);
}

/** Scores how unlike words a text is; 0 is best. Symbols, capitals within words, accents in a row and mixed scripts count. */
function strangeness(text: string): number {
  const symbols = text.match(/[^\p{ASCII}\p{L}\p{M}]/gu) ?? [];
  const capitals = text.match(/(?<=\p{Ll})\p{Lu}|(?<=\p{Lu}\p{Lu})\p{Ll}|(?<=^|[^\p{L}])\p{Ll}(?=\p{Lu})/gu) ?? [];
  const mixed = [/\p{Script=Latin}/u, /\p{Script=Greek}/u, /\p{Script=Cyrillic}/u].filter((script) =>
    script.test(text),
  );
  const accented = text.match(/[\u00C0-\u024F]{3,}/g) ?? [];
  return 2 * symbols.length + capitals.length + 2 * accented.length + (mixed.length > 1 ? 2 : 0);
}
