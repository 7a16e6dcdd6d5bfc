import { didYouMean } from '../did-you-mean.js';
import { type Mapping, usesOfHeaders } from '../map/mapping.js';
import { type ReportProblem, SourceFault } from '../table-source.js';

/** The header of a file of another system, seen with a map. */
export class ForeignHeader {
  private headers: readonly string[] = [];
  /** The same, with accents in one spelling: `ö` may be one code point or two. */
  private plain: readonly string[] = [];
  line = 1;
  /** Each header of the map, with what it is used for. */
  private readonly uses = new Map<string, string[]>();

  constructor(private readonly mapping: Mapping) {
    for (const table of mapping.tables)
      for (const [header, uses] of usesOfHeaders(table))
        this.uses.set(header, [...new Set([...(this.uses.get(header) ?? []), ...uses])]);
  }

  read(cells: readonly string[], line: number): void {
    this.headers = cells.map((cell) => cell.trim());
    this.plain = this.headers.map((header) => header.normalize());
    this.line = line;
  }

  /**
   * @param needed headers of the map
   * @throws {SourceFault} if one of these is missing or ambiguous; further ones are told to `report`
   */
  check(needed: Iterable<string>, report: ReportProblem): void {
    const faults = [...needed].flatMap((header) => this.fault(header) ?? []);
    const last = faults.pop();
    for (const { header, message } of faults) report(this.line, header, message);
    if (last) throw new SourceFault(this.line, last.message, last.header);
  }

  /** How many headers of the map the file has. */
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

  /** How the file spells a header of the map. */
  spelling(header: string): string {
    return this.headers[this.position(header)] ?? header;
  }

  /** The headers that no table of the map uses. */
  unused(): string[] {
    const used = new Set([...this.uses.keys()].map((header) => this.spelling(header)));
    return this.headers.filter((header) => header !== '' && !used.has(header));
  }

  private fault(header: string): { header: string; message: string } | undefined {
    const [first, second] = this.found(header).map((position) => this.headers[position]!);
    const reason = `which the map gives to ${this.uses.get(header)?.join(', ')}`;
    if (first === undefined) return { header, message: `missing column, ${reason}${didYouMean(header, this.headers)}` };
    if (second !== undefined)
      return { header: second, message: `the map takes it for the same as ${first}; remove one` };
    if (this.plain.indexOf(first.normalize()) !== this.plain.lastIndexOf(first.normalize()))
      return { header: first, message: `repeated column, ${reason}; remove one` };
    return undefined;
  }

  /** The columns of all spellings of a header. */
  private found(header: string): number[] {
    const spellings = [header, ...(this.mapping.headers.get(header) ?? [])].map((spelling) => spelling.normalize());
    return [...new Set(spellings)].map((spelling) => this.plain.indexOf(spelling)).filter((position) => position >= 0);
  }
}
