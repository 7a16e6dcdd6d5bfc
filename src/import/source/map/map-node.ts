import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml';
import type { Problems } from '../../problems.js';
import { didYouMean } from '../did-you-mean.js';

/** Lists of aliases of lists of aliases have no bounds else. No map needs as many rules and words to translate. */
const MOST_VALUES = 100_000;

/** A map file that is being read. */
interface MapFile {
  name: string;
  document: Document;
  lines: LineCounter;
  problems: Problems;
  /** How many values were looked at; one that aliases repeat counts each time. */
  values: number;
}

/**
 * Parses a map file, YAML 1.2 or JSON, which is YAML as well.
 * @throws {ImportRefused} if it is neither
 */
export function parseMapFile(text: string, name: string, problems: Problems): MapNode {
  const lines = new LineCounter();
  // Keys are compared as they are written, further below: here 0 and 0.0 would be the same.
  const document = parseDocument(text, { lineCounter: lines, schema: 'core', prettyErrors: false, uniqueKeys: false });
  const lineAt = (offset: number) => lines.linePos(offset).line;
  for (const { pos, message } of [...document.errors, ...document.warnings])
    problems.add(name, lineAt(pos[0]), '', `the map is no YAML or JSON: ${message}`);
  visit(document, {
    Alias(_key, alias, ancestors) {
      const target = alias.resolve(document);
      const offset = alias.range?.[0] ?? 0;
      if (!target) problems.add(name, lineAt(offset), '', `*${alias.source} stands for nothing that comes before it`);
      if (target && ancestors.includes(target)) problems.add(name, lineAt(offset), '', `*${alias.source} holds itself`);
    },
  });
  problems.assertNone();
  return new MapNode({ name, document, lines, problems, values: 0 }, document.contents, '', 1);
}

/**
 * A value of a map file. What it is not is told with its line and noted as a problem; reading goes on with something
 * harmless, so that all problems come to light at once.
 */
export class MapNode {
  private readonly node: unknown;

  constructor(
    private readonly file: MapFile,
    node: unknown,
    /** The keys that lead to it, such as `products.SKU`. */
    readonly path: string,
    private readonly line: number,
  ) {
    this.node = isAlias(node) ? node.resolve(file.document) : node;
  }

  report(message: string): void {
    this.file.problems.add(this.file.name, this.line, this.path, message);
  }

  /** The same value, called something else in problems. */
  as(path: string): MapNode {
    return new MapNode(this.file, this.node, path, this.line);
  }

  get isMap(): boolean {
    return isMap(this.node);
  }

  get isList(): boolean {
    return isSeq(this.node);
  }

  /** The values of a map by their keys, in the order of the file. */
  entries(): Map<string, MapNode> {
    const entries = new Map<string, MapNode>();
    if (!isMap(this.node)) this.report('has to hold keys, each with a value');
    else
      for (const { key, value } of this.node.items) {
        const name = scalarText(key);
        const entry = this.child(key, value, `${this.path}${this.path && '.'}${name ?? '?'}`);
        if (name === undefined) entry.report("a key has to be a text; write '' for an empty one");
        else if (entries.has(name)) entry.report('this key is there twice');
        else entries.set(name, entry);
      }
    return entries;
  }

  /** The values of a map of which the keys are given. */
  fields<Key extends string>(known: readonly Key[]): Map<Key, MapNode> {
    const entries = this.entries();
    for (const [key, node] of entries)
      if (!known.includes(key as Key)) {
        node.report(`unknown key${didYouMean(key, known) || `; the keys here are ${known.join(', ')}`}`);
        entries.delete(key);
      }
    return entries as Map<Key, MapNode>;
  }

  items(): MapNode[] {
    if (isSeq(this.node) && this.node.items.length)
      return this.node.items.map((item) => this.child(item, item, this.path));
    this.report('has to be a list, and not an empty one');
    return [];
  }

  /** A text, or a number or flag as it is written. */
  text(): string {
    const text = scalarText(this.node);
    if (text === undefined) this.report("has to be a text; write '' for no value");
    return text ?? '';
  }

  /** A text that is not empty. */
  name(): string {
    const text = this.text();
    if (text === '' && scalarText(this.node) === '') this.report('may not be empty');
    return text;
  }

  /** One text, or a list of them. */
  texts(): string[] {
    return this.isList ? this.items().map((item) => item.text()) : [this.text()];
  }

  /** Texts that a cell is compared with; case and inner spaces matter. */
  conditions(): ReadonlySet<string> {
    return new Set(this.texts().map(comparable));
  }

  /** One of these texts. */
  choice<Text extends string>(texts: readonly Text[]): Text {
    const text = this.text() as Text;
    if (!texts.includes(text)) this.report(`has to be one of ${texts.map((one) => `"${one}"`).join(' ')}`);
    return text;
  }

  flag(): boolean {
    const value = isScalar(this.node) ? this.node.value : undefined;
    if (typeof value !== 'boolean') this.report('has to be true or false');
    return value === true;
  }

  /** @throws {ImportRefused} where the map holds more than anybody writes */
  private child(placed: unknown, node: unknown, path: string): MapNode {
    if (this.file.values++ === MOST_VALUES) {
      this.report(`the map has more than ${MOST_VALUES} values, those that aliases repeat included`);
      this.file.problems.assertNone();
    }
    const offset = (placed as Node | null)?.range?.[0];
    return new MapNode(this.file, node, path, offset === undefined ? this.line : this.file.lines.linePos(offset).line);
  }
}

/** A text as values and conditions compare it: without spaces around it, and with accents in one spelling. */
export function comparable(text: string): string {
  return text.trim().normalize();
}

/** Numbers and flags keep their spelling, so that `007` and `1.10` stay what they are; undefined: not one value. */
function scalarText(node: unknown): string | undefined {
  if (!isScalar(node) || node.value === null) return undefined;
  return typeof node.value === 'string' ? node.value : node.source;
}
