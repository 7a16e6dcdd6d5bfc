import { CellError } from '../../cell.js';

/** No column holds more. If a map makes a text longer than this, the map is wrong. */
const MAX_CHARACTERS = 65_535;

/** Counts the characters of a text while a map makes it, and refuses a text that becomes too long. */
export class TextLength {
  private characters: number;

  /** @param given number of characters in the file; it may exceed the limit */
  constructor(private readonly given = 0) {
    this.characters = given;
  }

  /** @throws {CellError} if the text becomes longer than in the file and longer than 65,535 characters */
  add(characters: number): void {
    this.characters += characters;
    if (this.characters > Math.max(MAX_CHARACTERS, this.given))
      throw new CellError(
        `becomes longer than ${MAX_CHARACTERS} characters through the map; check replace, join and prepend`,
      );
  }
}
