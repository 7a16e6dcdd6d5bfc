/** Describes how a column of a table gets its value from a row of another system's file. */
export type Rule = ConstantRule | CellRule | FirstRule | JoinRule;

interface ConstantRule {
  kind: 'constant';
  text: string;
}

/** Reads a cell and changes its text. The properties are in the order of the steps. */
export interface CellRule {
  kind: 'cell';
  /** Headers. Several headers give the elements of all their lists, each once. */
  from: readonly string[];
  /** Whether the file may lack the headers of this rule. */
  optional: boolean;
  /** Whether an empty value is an error. `found`: only if it comes from another row. */
  required: boolean | 'found';
  /** The rows in which to look for the cell, in this order. */
  rows: readonly RowRule[];
  list?: ListRule;
  /** Whether HTML entities become characters. */
  decode: boolean;
  replace: readonly (readonly [text: string, by: string])[];
  values?: ReadonlyMap<string, string>;
  /** The value for texts that `values` does not list. */
  otherwise?: string;
  /** Whether texts that `values` does not list stay unchanged. */
  keep: boolean;
  /** The format of numbers, if it differs from that of the whole file. */
  number: Partial<NumberFormat>;
  /** The formats of dates, such as `DD.MM.YYYY`. */
  dates: readonly string[];
  /** The rule for a factor. */
  times?: Rule;
  prepend: string;
  shorten?: number;
}

export interface NumberFormat {
  /** `either`: a point or a comma, but not one that may separate thousands. */
  decimal: '.' | ',' | 'either';
  thousands?: string;
}

export type RowRule = 'this' | AboveRule | KeyRule;

/**
 * The nearest row, from the current row upwards, whose cells have one of these texts. If no texts are given, any text
 * matches.
 */
interface AboveRule {
  above: readonly (readonly [header: string, texts?: ReadonlySet<string>])[];
}

/**
 * A condition on the rows to find. In such a row, the cell under each header equals the value that its rule gives for
 * the current row.
 */
export interface KeyRule {
  key: readonly (readonly [header: string, is: Rule])[];
}

export interface ListRule {
  split: string;
  /** The escape character before a separator that belongs to an element; '' if the list has none. */
  escape: string;
  /** Whether separators within double quotes belong to the element. */
  quotes: boolean;
  /** One element, the value of a `key=value`, or a row for each element: 'each' gives the element, 'number' its position. */
  take: Item | { key: string } | 'each' | 'number';
}

/** An element by its position, counted from 1, or the path with the most parts. */
type Item = { item: number | 'last' } | { deepest: string; withRoot: boolean };

/** The value of the first rule that gives one. */
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

/** Whether the rule gives a list whose elements become rows. */
export function givesList(rule: Rule): boolean {
  if (rule.kind === 'cell') return typeof rule.list?.take === 'string';
  return rule.kind === 'first' && rule.rules.some(givesList);
}

/** Returns all headers that a rule reads. */
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

/** Returns the headers of a rule's value, without those that find a row. */
export function valueHeadersOf(rule: Rule): string[] {
  if (rule.kind === 'constant') return [];
  return rule.kind === 'cell' ? [...rule.from] : rule.rules.flatMap(valueHeadersOf);
}

/** Returns all cells of a rule, including its factor and those that find a row. */
export function cellsOf(rule: Rule): CellRule[] {
  if (rule.kind === 'constant') return [];
  if (rule.kind !== 'cell') return rule.rules.flatMap(cellsOf);
  const keys = rule.rows.flatMap((row) => (row !== 'this' && 'key' in row ? row.key.map(([, is]) => is) : []));
  return [rule, ...[...keys, ...(rule.times ? [rule.times] : [])].flatMap(cellsOf)];
}

/**
 * Returns the rule without the optional parts that the file lacks.
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
