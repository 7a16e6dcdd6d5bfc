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
  /** Not of this row but of the first one, down to this, whose cell under `key` is what `is` gives. */
  row?: { key: string; is: Rule };
  list?: ListRule;
  replace: readonly (readonly [text: string, by: string])[];
  values?: ReadonlyMap<string, string>;
  /** For what `values` does not list. */
  otherwise?: string;
  /** What `values` does not list stays as it is. */
  keep: boolean;
  times?: string;
  prepend: string;
}

export interface ListRule {
  split: string;
  /** Before a separator that does not separate; '': there is none. */
  escape: string;
  /** Separators between double quotes do not separate. */
  quotes: boolean;
  /** One element by its place from 1, or the value of a `key=value`; or a row for each element, or for its place. */
  take: { item: number | 'last' } | { key: string } | 'each' | 'number';
}

/** The first of several rules that gives a value. */
interface FirstRule {
  kind: 'first';
  rules: readonly Rule[];
}

interface JoinRule {
  kind: 'join';
  between: string;
  rules: readonly Rule[];
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
  return [...rule.from, ...(rule.row ? [rule.row.key, ...headersOf(rule.row.is)] : [])];
}

/** The headers that a rule takes its value from, without those by which it finds a row. */
export function valueHeadersOf(rule: Rule): string[] {
  if (rule.kind === 'constant') return [];
  return rule.kind === 'cell' ? [...rule.from] : rule.rules.flatMap(valueHeadersOf);
}
