import { CARRIAGE_RETURN, LINE_FEED } from '../line-counter.js';
import { SourceFault } from '../table-source.js';

/** The text of one element of a JSON file. Only its end was checked so far, not its syntax. */
export interface JsonElement {
  /** The number of its first line, counted from 1. */
  line: number;
  text: string;
  /** The number of keys in its text, in objects of any depth. */
  keys: number;
}

/**
 * Yields the elements of a JSON file in chunks: the elements of its single array, or its consecutive values, as in
 * NDJSON.
 * @param pieces the text of the file, split anywhere
 * @throws {SourceFault} if the end of an element cannot be found; the elements before it are still yielded
 */
export async function* jsonElements(pieces: AsyncIterable<string>): AsyncGenerator<JsonElement[]> {
  const splitter = new ElementSplitter();
  for await (const piece of pieces) {
    splitter.read(piece);
    yield* splitter.take();
  }
  splitter.end();
  yield* splitter.take();
}

/** Where the reader is while it is not within an element. */
type Place = 'start' | 'among values' | 'array start' | 'after comma' | 'after element' | 'after array';

interface Expectation {
  expected: string;
  /** The place after an element that begins here; undefined if no element may begin here. */
  element?: Place;
  /** The places that follow other characters. */
  steps?: Partial<Record<string, Place>>;
  /** Whether the file may end here. */
  complete?: boolean;
}

const PLACES: Record<Place, Expectation> = {
  start: { expected: 'a value', element: 'among values', steps: { '[': 'array start' } },
  'among values': { expected: 'a value without a comma before it', element: 'among values', complete: true },
  'array start': { expected: 'an element or "]"', element: 'after element', steps: { ']': 'after array' } },
  'after comma': { expected: 'an element', element: 'after element' },
  'after element': { expected: '"," or "]"', steps: { ',': 'after comma', ']': 'after array' } },
  'after array': { expected: 'the end of the file', complete: true },
};

/** In characters. Bounds the memory of an element; twice the texts of a product with every character escaped. */
const MAX_ELEMENT_LENGTH = 4 * 1024 * 1024;
/** Levels of nested brackets. A product with its arrays has three. */
const MAX_DEPTH = 64;

const WHITESPACE = new Set(' \t\r\n');
/** Characters that end a number or keyword outside brackets. */
const SCALAR_ENDS = new Set(' \t\r\n,:"[]{}');
const NEVER_BEGIN = new Set(',:]}');

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

class ElementSplitter {
  private elements: JsonElement[] = [];
  private fault?: SourceFault;
  private place: Place = 'start';
  private line = 1;
  private previous = '';
  private piece = '';
  /** The element that is being read, with its text from earlier pieces. */
  private element?: JsonElement;
  /** The position where its text begins in the current piece. */
  private from = 0;
  private depth = 0;
  private quoted = false;
  private escaped = false;

  read(piece: string): void {
    this.piece = piece;
    this.from = 0;
    for (let at = 0; at < piece.length && !this.fault; at++)
      if (this.quoted) at = this.readString(at);
      else this.readCharacter(at);
    if (this.element) this.append(this.element, piece.length);
  }

  /** Call it at the end of the file. */
  end(): void {
    this.piece = '';
    if (this.element && (this.depth || this.quoted))
      this.fail(
        'the file ends within the element that starts here; check that the file is complete',
        this.element.line,
      );
    else if (this.element) this.finish(0);
    if (this.place === 'start') this.fail('the file is empty; write [] if it has no elements');
    if (!PLACES[this.place].complete) this.fail('the file ends within its array; check that the file is complete');
  }

  /** Yields the elements since the last call, then throws the fault that follows them, if any. */
  *take(): Generator<JsonElement[]> {
    if (this.elements.length) yield this.elements.splice(0);
    if (this.fault) throw this.fault;
  }

  /** @returns the position of the closing quote, or the end of the piece */
  private readString(from: number): number {
    const { piece } = this;
    let { escaped } = this;
    for (let at = from; at < piece.length; at++) {
      const code = piece.charCodeAt(at);
      if (code === LINE_FEED || code === CARRIAGE_RETURN) return this.failInString(at);
      if (escaped) escaped = false;
      else if (code === BACKSLASH) escaped = true;
      else if (code === QUOTE) return this.endString(at);
    }
    this.escaped = escaped;
    return piece.length;
  }

  private endString(at: number): number {
    this.escaped = this.quoted = false;
    if (!this.depth) this.finish(at + 1);
    return at;
  }

  private failInString(at: number): number {
    this.fail('a text is not closed on its line; close its quote, or write a line break within it as \\n');
    return at;
  }

  /** Reads one character outside strings. */
  private readCharacter(at: number): void {
    const character = this.piece[at]!;
    if (this.element && !this.depth && SCALAR_ENDS.has(character)) this.finish(at);
    if (character === '\r' || (character === '\n' && this.previous !== '\r')) this.line++;
    this.previous = character;
    if (WHITESPACE.has(character)) return;
    if (!this.element) this.advance(character, at);
    if (this.element) this.readToken(this.element, character, at);
  }

  /** Moves to the next place, or starts an element. */
  private advance(character: string, at: number): void {
    const { expected, element, steps } = PLACES[this.place];
    const next = steps?.[character];
    if (next) this.place = next;
    else if (element && !NEVER_BEGIN.has(character)) {
      this.place = element;
      this.element = { line: this.line, text: '', keys: 0 };
      this.from = at;
    } else this.fail(`expected ${expected}, but found "${character}"`);
  }

  private readToken(element: JsonElement, character: string, at: number): void {
    if (character === '"') this.quoted = true;
    else if (character === ':') element.keys++;
    else if (character === '{' || character === '[') {
      if (++this.depth > MAX_DEPTH) this.fail(`brackets are nested more than ${MAX_DEPTH} deep`);
    } else if (character === '}' || character === ']') {
      if (!--this.depth) this.finish(at + 1);
    }
  }

  private finish(end: number): void {
    this.append(this.element!, end);
    this.elements.push(this.element!);
    this.element = undefined;
  }

  /** Appends the element's text in the current piece, up to `end`. */
  private append(element: JsonElement, end: number): void {
    element.text += this.piece.slice(this.from, end);
    if (element.text.length > MAX_ELEMENT_LENGTH)
      this.fail(
        'the element that starts here has more than 4 MB; write each product as an element of its own',
        element.line,
      );
  }

  private fail(message: string, line = this.line): void {
    this.fault ??= new SourceFault(line, message);
  }
}
