import { CellError } from '../../cell.js';

/** No column holds as much; a text that a map makes longer is a mistake in the map. */
const MOST_CHARACTERS = 65_535;

/** Adds up the characters of a text while a map makes it. */
export class TextLength {
  private characters: number;

  /** @param given characters of the file, which may be more than any column holds */
  constructor(private readonly given = 0) {
    this.characters = given;
  }

  /** @throws {CellError} if the text becomes longer than it was and than any column holds */
  add(characters: number): void {
    this.characters += characters;
    if (this.characters > Math.max(MOST_CHARACTERS, this.given))
      throw new CellError(
        `becomes longer than ${MOST_CHARACTERS} characters by the map; check replace, join and prepend`,
      );
  }
}
