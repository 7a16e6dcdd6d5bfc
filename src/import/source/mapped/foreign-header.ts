import { didYouMean } from '../did-you-mean.js';
import { type Mapping, usesOfHeaders } from '../map/mapping.js';
import { type ReportProblem, SourceFault } from '../table-source.js';

/** The header of a file of another system, matched with the headers of a column map. */
export class ForeignHeader {
  private headers: readonly string[] = [];
  /** The headers in Unicode form NFC, since `ö` may be one code point or two. */
  private normalized: readonly string[] = [];
  line = 1;
  /** The headers of the map with their uses, such as `products.SKU`. */
  private readonly uses = new Map<string, string[]>();

  constructor(private readonly mapping: Mapping) {
    for (const table of mapping.tables)
      for (const [header, uses] of usesOfHeaders(table))
        this.uses.set(header, [...new Set([...(this.uses.get(header) ?? []), ...uses])]);
  }

  read(cells: readonly string[], line: number): void {
    this.headers = cells.map((cell) => cell.trim());
    this.normalized = this.headers.map((header) => header.normalize());
    this.line = line;
  }

  /**
   * @param needed headers of the map
   * @throws {SourceFault} with the last header that is missing or ambiguous, after `report` has received the others
   */
  check(needed: Iterable<string>, report: ReportProblem): void {
    const faults = [...needed].flatMap((header) => this.fault(header) ?? []);
    const last = faults.pop();
    for (const { header, message } of faults) report(this.line, header, message);
    if (last) throw new SourceFault(this.line, last.message, last.header);
  }

  /** The number of headers of the map that the file has. */
  get known(): number {
    return [...this.uses.keys()].filter((header) => this.has(header)).length;
  }

  get width(): number {
    return this.headers.length;
  }

  has(header: string): boolean {
    return this.found(header).length > 0;
  }

  position(header: string): number {
    return this.found(header)[0] ?? -1;
  }

  /** Returns the file's spelling of a header of the map. */
  spelling(header: string): string {
    return this.headers[this.position(header)] ?? header;
  }

  /** Returns the file's headers that no table of the map uses. */
  unused(): string[] {
    const used = new Set([...this.uses.keys()].map((header) => this.spelling(header)));
    return this.headers.filter((header) => header !== '' && !used.has(header));
  }

  private fault(header: string): { header: string; message: string } | undefined {
    const [first, second] = this.found(header).map((position) => this.headers[position]!);
    const reason = `which the map uses for ${this.uses.get(header)?.join(', ')}`;
    if (first === undefined) return { header, message: `missing column, ${reason}${didYouMean(header, this.headers)}` };
    if (second !== undefined)
      return { header: second, message: `the map treats it as the same column as ${first}; remove one` };
    if (this.normalized.indexOf(first.normalize()) !== this.normalized.lastIndexOf(first.normalize()))
      return { header: first, message: `repeated column, ${reason}; remove one` };
    return undefined;
  }

  /** Returns the positions of all spellings of a header. */
  private found(header: string): number[] {
    const spellings = [header, ...(this.mapping.headers.get(header) ?? [])].map((spelling) => spelling.normalize());
    return [...new Set(spellings)]
      .map((spelling) => this.normalized.indexOf(spelling))
      .filter((position) => position >= 0);
  }
}
