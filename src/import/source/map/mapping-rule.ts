/** How one column of ours gets its value from a row of a foreign file. */
export type Rule = ConstantRule | CellRule | FirstRule | JoinRule;

interface ConstantRule {
  kind: 'constant';
  text: string;
}

/** What a foreign cell holds, in the order of the steps. */
export interface CellRule {
  kind: 'cell';
  /** Headers. Several: the elements of all their lists, each once. */
  from: readonly string[];
  /** The file may lack the headers of this rule. */
  optional: boolean;
  /** An empty value is an error. */
  required: boolean;
  /** The rows in which the cell is looked for, one after the other. */
  rows: readonly RowRule[];
  list?: ListRule;
  /** Entities of HTML become characters. */
  decode: boolean;
  replace: readonly (readonly [text: string, by: string])[];
  values?: ReadonlyMap<string, string>;
  /** For what `values` does not list. */
  otherwise?: string;
  /** What `values` does not list stays as it is. */
  keep: boolean;
  /** How numbers are written, if not as the whole file says. */
  number: Partial<NumberFormat>;
  /** How dates are written, such as `DD.MM.YYYY`. */
  dates: readonly string[];
  /** A factor, or where it comes from. */
  times?: Rule;
  prepend: string;
  shorten?: number;
}

export interface NumberFormat {
  decimal: '.' | ',';
  thousands?: string;
}

export type RowRule = 'this' | AboveRule | KeyRule;

/** The nearest row, from this one up, whose cells hold one of these texts; no text: whose cell is not empty. */
interface AboveRule {
  above: readonly (readonly [header: string, texts?: ReadonlySet<string>])[];
}

/** The rows whose cells under these headers are what the rules give for this row. */
export interface KeyRule {
  key: readonly (readonly [header: string, is: Rule])[];
}

export interface ListRule {
  split: string;
  /** Before a separator that does not separate; '': there is none. */
  escape: string;
  /** Separators between double quotes do not separate. */
  quotes: boolean;
  /** One element, or the value of a `key=value`; or a row for each element, or for its place. */
  take: Item | { key: string } | 'each' | 'number';
}

/** An element by its place from 1, or the path with the most parts. */
type Item = { item: number | 'last' } | { deepest: string; withRoot: boolean };

/** The first of several rules that gives a value. */
interface FirstRule {
  kind: 'first';
  rules: readonly Rule[];
}

interface JoinRule {
  kind: 'join';
  between: string;
  rules: readonly Rule[];
  shorten?: number;
}

/** Whether the rule gives a list, of which each element is a row. */
export function givesList(rule: Rule): boolean {
  if (rule.kind === 'cell') return typeof rule.list?.take === 'string';
  return rule.kind === 'first' && rule.rules.some(givesList);
}

/** All headers that a rule reads. */
export function headersOf(rule: Rule): string[] {
  if (rule.kind === 'constant') return [];
  if (rule.kind !== 'cell') return rule.rules.flatMap(headersOf);
  return [...rule.from, ...rule.rows.flatMap(headersOfRow), ...(rule.times ? headersOf(rule.times) : [])];
}

function headersOfRow(row: RowRule): string[] {
  if (row === 'this') return [];
  return 'above' in row
    ? row.above.map(([header]) => header)
    : row.key.flatMap(([header, is]) => [header, ...headersOf(is)]);
}

/** The headers that a rule takes its value from, without those by which it finds a row. */
export function valueHeadersOf(rule: Rule): string[] {
  if (rule.kind === 'constant') return [];
  return rule.kind === 'cell' ? [...rule.from] : rule.rules.flatMap(valueHeadersOf);
}

/** All cells of a rule, those by which it finds a row and its factor included. */
export function cellsOf(rule: Rule): CellRule[] {
  if (rule.kind === 'constant') return [];
  if (rule.kind !== 'cell') return rule.rules.flatMap(cellsOf);
  const keys = rule.rows.flatMap((row) => (row !== 'this' && 'key' in row ? row.key.map(([, is]) => is) : []));
  return [rule, ...[...keys, ...(rule.times ? [rule.times] : [])].flatMap(cellsOf)];
}

/**
 * The rule without what the file lacks and may lack.
 * @param has whether the file has a header
 * @returns undefined if nothing is left
 */
export function present(rule: Rule, has: (header: string) => boolean): Rule | undefined {
  if (rule.kind === 'constant') return rule;
  if (rule.kind === 'cell') return presentCell(rule, has);
  const rules = rule.rules.flatMap((part) => present(part, has) ?? []);
  return rules.length ? { ...rule, rules } : undefined;
}

function presentCell(rule: CellRule, has: (header: string) => boolean): CellRule | undefined {
  if (!rule.optional) return rule;
  const from = rule.from.filter(has);
  return from.length && headersOf({ ...rule, from }).every(has) ? { ...rule, from } : undefined;
}
