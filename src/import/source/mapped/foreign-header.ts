import { didYouMean } from '../did-you-mean.js';
import { type Mapping, usesOfHeaders } from '../map/mapping.js';
import { type Complain, SourceFault } from '../table-source.js';

/** The header of a file of another system, seen with a map. */
export class ForeignHeader {
  private headers: readonly string[] = [];
  /** Each header of the map, with what it is used for. */
  private readonly uses = new Map<string, string[]>();

  constructor(private readonly mapping: Mapping) {
    for (const table of mapping.tables)
      for (const [header, uses] of usesOfHeaders(table))
        this.uses.set(header, [...(this.uses.get(header) ?? []), ...uses]);
  }

  /**
   * @param needed headers of the map
   * @throws {SourceFault} if one of these is missing or ambiguous; further ones are told to `complain`
   */
  read(cells: readonly string[], line: number, needed: Iterable<string>, complain: Complain): void {
    this.headers = cells.map((cell) => cell.trim());
    const faults = [...needed].flatMap((header) => this.fault(header) ?? []);
    const last = faults.pop();
    for (const { header, message } of faults) complain(line, header, message);
    if (last) throw new SourceFault(line, last.message, last.header);
  }

  get width(): number {
    return this.headers.length;
  }

  position(header: string): number {
    return this.headers.indexOf(this.spelling(header));
  }

  /** How the file spells a header of the map. */
  spelling(header: string): string {
    return this.found(header)[0] ?? header;
  }

  /** The headers that no table of the map uses. */
  unused(): string[] {
    const used = new Set([...this.uses.keys()].map((header) => this.spelling(header)));
    return this.headers.filter((header) => header !== '' && !used.has(header));
  }

  private fault(header: string): { header: string; message: string } | undefined {
    const [first, second] = this.found(header);
    const reason = `which the map gives to ${this.uses.get(header)?.join(', ')}`;
    if (first === undefined) return { header, message: `missing column, ${reason}${didYouMean(header, this.headers)}` };
    if (second !== undefined)
      return { header: second, message: `the map takes it for the same as ${first}; remove one` };
    if (this.headers.indexOf(first) !== this.headers.lastIndexOf(first))
      return { header: first, message: `repeated column, ${reason}; remove one` };
    return undefined;
  }

  private found(header: string): string[] {
    const spellings = [header, ...(this.mapping.headers.get(header) ?? [])];
    return spellings.filter((spelling) => this.headers.includes(spelling));
  }
}
