import { SourceFault } from '../table-source.js';

/** The text of one element of a JSON file, checked for nothing but where it ends. */
export interface JsonElement {
  /** The line that it starts on, from 1. */
  line: number;
  text: string;
  /** How many keys its text has, in objects of any depth. */
  keys: number;
}

/**
 * The elements of a JSON file in chunks: those of the one array that it is, or else the values that it holds one after
 * the other, as NDJSON does.
 * @param pieces the text of the file, cut anywhere
 * @throws {SourceFault} where an element cannot be told from the next; those before it are still yielded
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

/** Where the reader is when it is in no element. */
type Place = 'start' | 'among values' | 'array start' | 'after comma' | 'after element' | 'after array';

interface Expectation {
  expected: string;
  /** The place behind an element that begins here; undefined where none may. */
  element?: Place;
  /** The places to which other characters lead. */
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

/** Bounds the memory that an element takes, in characters: twice the texts of a product, every character escaped. */
const LONGEST_ELEMENT = 4 * 1024 * 1024;
/** A product with its arrays is three deep. */
const DEEPEST = 64;

const WHITESPACE = new Set(' \t\r\n');
/** What ends a number or a keyword that is in no brackets. */
const ENDS_OF_SCALARS = new Set(' \t\r\n,:"[]{}');
const NEVER_BEGIN = new Set(',:]}');

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

class ElementSplitter {
  private elements: JsonElement[] = [];
  private fault?: SourceFault;
  private place: Place = 'start';
  private line = 1;
  private previous = '';
  private piece = '';
  /** The element that is being read, with its text as far as earlier pieces had it. */
  private element?: JsonElement;
  /** Where its text begins in the current piece. */
  private from = 0;
  private depth = 0;
  private quoted = false;
  private escaped = false;

  read(piece: string): void {
    this.piece = piece;
    this.from = 0;
    for (let at = 0; at < piece.length && !this.fault; at++)
      if (this.quoted) at = this.passString(at);
      else this.pass(at);
    if (this.element) this.keep(this.element, piece.length);
  }

  /** Says that the file ends here. */
  end(): void {
    this.piece = '';
    if (this.element && (this.depth || this.quoted))
      this.fail('the file ends within the element that starts here; is it complete?', this.element.line);
    else if (this.element) this.finish(0);
    if (this.place === 'start') this.fail('the file is empty; where no element at all is meant, write []');
    if (!PLACES[this.place].complete) this.fail('the file ends within its array; is it complete?');
  }

  /** The elements since the last call, and the fault behind them if there is one. */
  *take(): Generator<JsonElement[]> {
    if (this.elements.length) yield this.elements.splice(0);
    if (this.fault) throw this.fault;
  }

  /** @returns the position of the closing quote, or the end of the piece */
  private passString(from: number): number {
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
    this.fail('a text is not closed on its line: close its quote, or write a line break in it as \\n');
    return at;
  }

  /** Takes one character outside strings. */
  private pass(at: number): void {
    const character = this.piece[at]!;
    if (this.element && !this.depth && ENDS_OF_SCALARS.has(character)) this.finish(at);
    if (character === '\r' || (character === '\n' && this.previous !== '\r')) this.line++;
    this.previous = character;
    if (WHITESPACE.has(character)) return;
    if (!this.element) this.goOn(character, at);
    if (this.element) this.passToken(this.element, character, at);
  }

  /** Goes to the next place, or into an element. */
  private goOn(character: string, at: number): void {
    const { expected, element, steps } = PLACES[this.place];
    const next = steps?.[character];
    if (next) this.place = next;
    else if (element && !NEVER_BEGIN.has(character)) {
      this.place = element;
      this.element = { line: this.line, text: '', keys: 0 };
      this.from = at;
    } else this.fail(`"${character}" stands where ${expected} was expected`);
  }

  private passToken(element: JsonElement, character: string, at: number): void {
    if (character === '"') this.quoted = true;
    else if (character === ':') element.keys++;
    else if (character === '{' || character === '[') {
      if (++this.depth > DEEPEST) this.fail(`brackets are more than ${DEEPEST} deep`);
    } else if (character === '}' || character === ']') {
      if (!--this.depth) this.finish(at + 1);
    }
  }

  private finish(end: number): void {
    this.keep(this.element!, end);
    this.elements.push(this.element!);
    this.element = undefined;
  }

  /** Adds what the current piece has of the element, up to `end`. */
  private keep(element: JsonElement, end: number): void {
    element.text += this.piece.slice(this.from, end);
    if (element.text.length > LONGEST_ELEMENT)
      this.fail('the element that starts here has more than 4 MB; each product is an element', element.line);
  }

  private fail(message: string, line = this.line): void {
    this.fault ??= new SourceFault(line, message);
  }
}
