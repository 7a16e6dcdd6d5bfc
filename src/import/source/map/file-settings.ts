import { encodingProblem } from '../encoding.js';
import { delimiterProblem } from '../csv/delimiter.js';
import type { MapNode } from './map-node.js';
import type { NumberFormat } from './mapping-rule.js';
import { readNumberFormat } from './parse-rule.js';

/** The format of the whole file. Undefined settings come from the command. */
export interface FileSettings {
  readonly delimiter?: string;
  readonly encoding?: string;
  /** The line number, counted from 1, of the header, or of the first row if there is no header. */
  readonly firstLine: number;
  /** Set if the file has no header: the names of its columns. If empty, the names are 1, 2, 3, … */
  readonly names?: readonly string[];
  readonly number: Partial<NumberFormat>;
}

/** Reads the key `file` of a column map. */
export function readFileSettings(node: MapNode | undefined): FileSettings {
  const keys = node?.fields(['delimiter', 'encoding', 'header', 'decimal', 'thousands']);
  if (!keys) return { firstLine: 1, number: {} };
  return {
    delimiter: readChecked(keys.get('delimiter'), delimiterProblem)?.replace(/^tab$/, '\t'),
    encoding: readChecked(keys.get('encoding'), encodingProblem),
    ...readHeader(keys.get('header')),
    number: readNumberFormat(keys, undefined, true),
  };
}

function readChecked(node: MapNode | undefined, problem: (text: string) => string | undefined): string | undefined {
  const text = node?.name();
  const message = text && problem(text);
  if (message) node!.report(message);
  return text;
}

function readHeader(node: MapNode | undefined): Pick<FileSettings, 'firstLine' | 'names'> {
  if (!node) return { firstLine: 1 };
  if (node.isList) return { firstLine: 1, names: node.items().map((item) => item.text()) };
  const text = node.text();
  if (text === 'none') return { firstLine: 1, names: [] };
  if (!/^[1-9]\d{0,3}$/.test(text))
    node.report('must be the line number of the header, none, or a list of column names');
  return { firstLine: Number(text) };
}
