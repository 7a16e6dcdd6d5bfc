import type { CustomerTerms } from '../scope/customer-scope.js';
import type { Row } from '../database/query.js';
import { dayOrNull } from '../database/calendar-day.js';
import { decimalText } from './decimal-text.js';
import { arraysOf, fieldsOf, type FieldDeclaration, type FieldType, type Resource } from './field.decorator.js';
import { timeOrNull } from '../database/utc-time.js';

/** Converts a row to the JSON text of an element. The row has its nested rows under the names of the arrays. */
export type JsonWriter = (row: Row, terms: CustomerTerms) => string;

/** A stored value does not have the type of its column. */
export class DamagedRow extends Error {}

/** A key whose value differs between elements, with the constant text before the value. */
interface Member {
  before: string;
  write: JsonWriter;
}

/** Creates the writer of a resource's elements. It writes every declared key, in order, even if the row lacks it. */
export function jsonWriter(resource: Resource): JsonWriter {
  const fields = fieldsOf(resource).map((field) => ({
    name: field.name,
    fromScope: field.fromScope && ((terms: CustomerTerms) => valueText(field, field.fromScope!(terms))),
    write: fieldWriter(resource, field),
  }));
  const nested = arraysOf(resource).map(({ name, resource: element }) => ({
    name,
    fromScope: undefined,
    write: arrayWriter(name, element),
  }));
  const all = [...fields, ...nested];

  /** Writes the text that is the same in all elements of a response once. */
  const prepare = (terms: CustomerTerms) => {
    const members: Member[] = [];
    let before = '{';
    for (const [index, { name, fromScope, write }] of all.entries()) {
      before += `${index ? ',' : ''}${JSON.stringify(name)}:`;
      if (fromScope) {
        before += fromScope(terms);
        continue;
      }
      members.push({ before, write });
      before = '';
    }
    return { terms, members, end: `${before}}` };
  };

  let prepared: ReturnType<typeof prepare> | undefined;
  return (row, terms) => {
    if (prepared?.terms !== terms) prepared = prepare(terms);
    let json = '';
    for (const { before, write } of prepared.members) json += before + write(row, terms);
    return json + prepared.end;
  };
}

function arrayWriter(name: string, element: Resource): JsonWriter {
  const write = jsonWriter(element);
  return (row, terms) => `[${((row[name] ?? []) as Row[]).map((item) => write(item, terms)).join(',')}]`;
}

function fieldWriter(resource: Resource, field: FieldDeclaration): JsonWriter {
  return (row, terms) => {
    try {
      return valueText(field, field.value ? field.value(row, terms) : row[field.name]);
    } catch (cause) {
      // Names the damaged cell in the log, because the service aborts the response.
      throw new DamagedRow(`${resource.name} ${row.SKU}: ${field.name} does not hold a ${field.type}`, { cause });
    }
  };
}

function valueText(field: FieldDeclaration, value: unknown): string {
  return value === null || value === undefined ? 'null' : VALUE_WRITERS[field.type](value, field);
}

const VALUE_WRITERS: Record<FieldType, (value: unknown, field: FieldDeclaration) => string> = {
  varchar: (value) => JSON.stringify(String(value)),
  text: (value) => JSON.stringify(String(value)),
  int: (value) => decimalText(String(value), 0),
  decimal: (value, { fixedScale }) => decimalText(String(value), fixedScale),
  boolean: booleanText,
  date: (value) => JSON.stringify(dayOrNull(value)),
  datetime: (value) => JSON.stringify(timeOrNull(value)),
};

function booleanText(value: unknown): string {
  if (value === true || value === 1) return 'true';
  if (value === false || value === 0) return 'false';
  throw new TypeError('not a boolean');
}
