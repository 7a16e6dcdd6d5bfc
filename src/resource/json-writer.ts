import type { CustomerScope } from '../scope/customer-scope.js';
import type { Row } from '../database/query.js';
import { decimalText } from './decimal-text.js';
import { arraysOf, fieldsOf, type Field, type FieldType, type Resource } from './field.decorator.js';
import { utcTime } from './utc-time.js';

/** Turns one row, with its nested rows under the arrays' names, into the JSON text of one element. */
export type JsonWriter = (row: Row, scope: CustomerScope) => string;

/** A stored value is not of its column's type. */
export class DamagedRow extends Error {}

/** The writer of a resource's elements: every declared key, in order of declaration, whatever the row lacks. */
export function jsonWriter(resource: Resource): JsonWriter {
  const members = [
    ...fieldsOf(resource).map((field) => ({ name: field.name, write: fieldWriter(resource, field) })),
    ...arraysOf(resource).map(({ name, resource: element }) => ({ name, write: arrayWriter(name, element) })),
  ].map(({ name, write }, index) => ({ prefix: `${index ? ',' : '{'}${JSON.stringify(name)}:`, write }));
  return (row, scope) => {
    let json = '';
    for (const { prefix, write } of members) json += prefix + write(row, scope);
    return `${json}}`;
  };
}

function arrayWriter(name: string, element: Resource): JsonWriter {
  const write = jsonWriter(element);
  return (row, scope) => `[${((row[name] ?? []) as Row[]).map((item) => write(item, scope)).join(',')}]`;
}

function fieldWriter(resource: Resource, field: Field): JsonWriter {
  if (field.ofScope) return scopeWriter(field, field.ofScope);
  const text = VALUE_WRITERS[field.type];
  return (row, scope) => {
    const value = field.value ? field.value(row, scope) : row[field.name];
    if (value === null || value === undefined) return 'null';
    try {
      return text(value, field);
    } catch (cause) {
      // The row is damaged: say which cell, since the answer is cut because of it.
      throw new DamagedRow(`${resource.name} ${row.SKU}: ${field.name} does not hold a ${field.type}`, { cause });
    }
  };
}

/** Writes once what is the same in the elements of a whole answer. */
function scopeWriter(field: Field, ofScope: NonNullable<Field['ofScope']>): JsonWriter {
  let written: { scope: CustomerScope; text: string } | undefined;
  return (_row, scope) => {
    if (written?.scope !== scope) {
      const value = ofScope(scope);
      written = {
        scope,
        text: value === null || value === undefined ? 'null' : VALUE_WRITERS[field.type](value, field),
      };
    }
    return written.text;
  };
}

const VALUE_WRITERS: Record<FieldType, (value: unknown, field: Field) => string> = {
  varchar: (value) => JSON.stringify(String(value)),
  text: (value) => JSON.stringify(String(value)),
  int: (value) => decimalText(String(value), 0),
  decimal: (value, { fixedScale }) => decimalText(String(value), fixedScale),
  boolean: booleanText,
  date: (value) => matching(String(value), /^\d{4}-\d{2}-\d{2}$/),
  datetime: (value) => JSON.stringify(utcTime(value).toISOString()),
};

function booleanText(value: unknown): string {
  if (value === true || value === 1) return 'true';
  if (value === false || value === 0) return 'false';
  throw new TypeError('not a boolean');
}

function matching(value: string, pattern: RegExp): string {
  if (!pattern.test(value)) throw new TypeError(`does not match ${pattern}`);
  return JSON.stringify(value);
}
