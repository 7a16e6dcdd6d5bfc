import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml';
import type { Problems } from '../../problems.js';
import { didYouMean } from '../did-you-mean.js';

/** Bounds nested aliases, which could multiply without limit. No real map has as many rules and translations. */
const MAX_VALUES = 100_000;

/** A map file that is being read. */
interface MapFile {
  name: string;
  document: Document;
  lines: LineCounter;
  problems: Problems;
  /** The number of values read so far; a value that aliases repeat counts each time. */
  values: number;
}

/**
 * Parses a map file in YAML 1.2, of which JSON is a part.
 * @throws {ImportRefused} if it is neither YAML nor JSON
 */
export function parseMapFile(text: string, name: string, problems: Problems): MapNode {
  const lines = new LineCounter();
  // `entries` finds repeated keys instead, by their spelling: the parser would treat 0 and 0.0 as the same key.
  const document = parseDocument(text, { lineCounter: lines, schema: 'core', prettyErrors: false, uniqueKeys: false });
  const lineAt = (offset: number) => lines.linePos(offset).line;
  for (const { pos, message } of [...document.errors, ...document.warnings])
    problems.add(name, lineAt(pos[0]), '', `the map is not valid YAML or JSON: ${message}`);
  visit(document, {
    Alias(_key, alias, ancestors) {
      const target = alias.resolve(document);
      const offset = alias.range?.[0] ?? 0;
      if (!target) problems.add(name, lineAt(offset), '', `*${alias.source} has no anchor before it`);
      if (target && ancestors.includes(target))
        problems.add(name, lineAt(offset), '', `*${alias.source} contains itself`);
    },
  });
  problems.assertNone();
  return new MapNode({ name, document, lines, problems, values: 0 }, document.contents, '', 1);
}

/**
 * A value of a map file. If the value has another type than expected, a method records a problem with its line. It then
 * returns a harmless default, so that one run finds all problems.
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

  /** Returns the same value with another path for problems. */
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
    if (!isMap(this.node)) this.report('must contain keys with values');
    else
      for (const { key, value } of this.node.items) {
        const name = scalarText(key);
        const entry = this.child(key, value, `${this.path}${this.path && '.'}${name ?? '?'}`);
        if (name === undefined) entry.report("a key must be text; write '' for an empty key");
        else if (entries.has(name)) entry.report('this key occurs twice');
        else entries.set(name, entry);
      }
    return entries;
  }

  /** The values of a map whose keys are known. Unknown keys are problems. */
  fields<Key extends string>(known: readonly Key[]): Map<Key, MapNode> {
    const entries = this.entries();
    for (const [key, node] of entries)
      if (!known.includes(key as Key)) {
        node.report(`unknown key${didYouMean(key, known) || `; the valid keys are ${known.join(', ')}`}`);
        entries.delete(key);
      }
    return entries as Map<Key, MapNode>;
  }

  items(): MapNode[] {
    if (isSeq(this.node) && this.node.items.length)
      return this.node.items.map((item) => this.child(item, item, this.path));
    this.report('must be a list with at least one entry');
    return [];
  }

  /** A text, or a number or flag as it is spelt in the file. */
  text(): string {
    const text = scalarText(this.node);
    if (text === undefined) this.report("must be text; write '' for no value");
    return text ?? '';
  }

  /** A text that is not empty. */
  name(): string {
    const text = this.text();
    if (text === '' && scalarText(this.node) === '') this.report('must not be empty');
    return text;
  }

  /** One text, or a list of them. */
  texts(): string[] {
    return this.isList ? this.items().map((item) => item.text()) : [this.text()];
  }

  /** Texts that cells are compared with. Case and inner spaces matter. */
  conditions(): ReadonlySet<string> {
    return new Set(this.texts().map(comparable));
  }

  /** One of these texts. */
  choice<Text extends string>(texts: readonly Text[]): Text {
    const text = this.text() as Text;
    if (!texts.includes(text)) this.report(`must be one of ${texts.map((one) => `"${one}"`).join(' ')}`);
    return text;
  }

  /** True, false, or this text. */
  flagOr<Text extends string>(text: Text): boolean | Text {
    if (scalarText(this.node) === text) return text;
    const value = isScalar(this.node) ? this.node.value : undefined;
    if (typeof value !== 'boolean') this.report(`must be true, false or ${text}`);
    return value === true;
  }

  flag(): boolean {
    const value = isScalar(this.node) ? this.node.value : undefined;
    if (typeof value !== 'boolean') this.report('must be true or false');
    return value === true;
  }

  /** @throws {ImportRefused} if the map has more than 100,000 values */
  private child(placed: unknown, node: unknown, path: string): MapNode {
    if (this.file.values++ === MAX_VALUES) {
      this.report(`the map has more than ${MAX_VALUES} values, including those that aliases repeat`);
      this.file.problems.assertNone();
    }
    const offset = (placed as Node | null)?.range?.[0];
    return new MapNode(this.file, node, path, offset === undefined ? this.line : this.file.lines.linePos(offset).line);
  }
}

/** Normalizes a text for comparison with values and conditions: without spaces around it, and in Unicode form NFC. */
export function comparable(text: string): string {
  return text.trim().normalize();
}

/** Returns undefined if the node is not a single value. Numbers and flags keep their spelling: `007`, `1.10`. */
function scalarText(node: unknown): string | undefined {
  if (!isScalar(node) || node.value === null) return undefined;
  return typeof node.value === 'string' ? node.value : node.source;
}
