import { Column, PrimaryColumn } from 'typeorm';
import type { CustomerTerms } from '../scope/customer-scope.js';
import type { Row } from '../database/query.js';

/** The column types that a field may have; each also says how the field is read from files and written as JSON. */
export type FieldType = 'varchar' | 'text' | 'int' | 'decimal' | 'boolean' | 'date' | 'datetime';

/** Makes the answered value where it is not the stored one. */
type Value = (row: Row, terms: CustomerTerms) => unknown;

/** Makes a value that is the same in all elements of an answer. */
type ScopeValue = (terms: CustomerTerms) => unknown;

interface FieldDescription {
  /** One sentence for integrators, with the unit where there is one. */
  description: string;
  example: string | number | boolean;
  /** Declared as required in the schema. */
  required?: boolean;
}

/** A condition for a text, and words for the expected form that complete "… is not". */
interface Pattern {
  test: (text: string) => boolean;
  expected: string;
}

interface TextBounds {
  /** A code rather than prose: spaces around it are no part of it. Keys always are. */
  identifier?: boolean;
  pattern?: Pattern;
}

/** Bounds of a number, both included. */
interface NumberBounds {
  min?: number;
  max?: number;
}

/** What a column of each type has to say, and what it may say. */
type ColumnType =
  | ({ type: 'varchar'; /** Longest value, in characters. */ length: number } & TextBounds)
  | ({ type: 'text' } & TextBounds)
  | ({ type: 'int' } & NumberBounds)
  | ({
      type: 'decimal';
      /** Digits in all. */ precision: number;
      /** Digits behind the point. */ scale: number;
    } & NumberBounds)
  | { type: 'boolean'; /** The column within whose values at most one row may have this flag. */ onePer?: string }
  | { type: 'date' | 'datetime' };

/** Part of the key. Tables are read in the order of their keys, so these are the types that every engine orders alike. */
type KeyColumn = { primary: true } & (
  { type: 'varchar'; length: number; pattern?: Pattern } | ({ type: 'int' } & NumberBounds) | { type: 'date' }
);

interface FurtherColumn {
  primary?: never;
  /** False: the column always holds a value. Default: true. */
  nullable?: boolean;
  /** Why a new row needs this nullable column. A file that lacks the column may then have no new row. */
  neededByNewRows?: string;
}

type ColumnOptions = KeyColumn | (ColumnType & FurtherColumn);

/** Where the answered value is not the stored one: one of the two. */
type ValueSource = { value?: Value; fromScope?: never } | { value?: never; fromScope?: ScopeValue };

type FieldOptions = ColumnOptions & FieldDescription & ValueSource;

type ComputedType =
  | { type: 'varchar'; /** Longest value, in characters. */ length?: number }
  /** By default trailing zeros are left out; a fixed scale keeps this many digits behind the point. */
  | { type: 'decimal'; fixedScale?: number }
  | { type: Exclude<FieldType, 'varchar' | 'decimal'> };

/** Not nullable: there always is a value. Default: nullable. */
type ComputedOptions = ComputedType & FieldDescription & ValueSource & { nullable?: boolean };

/**
 * A declared property of an entity, as everything that stores, answers, describes or imports it reads it. The unions above
 * say which of its properties belong together.
 */
export interface FieldDeclaration extends TextBounds, NumberBounds, Partial<FieldDescription> {
  /** Name of the column, key of the answer and header of the import file. */
  name: string;
  stored: boolean;
  returned: boolean;
  type: FieldType;
  length?: number;
  precision?: number;
  scale?: number;
  fixedScale?: number;
  primary?: boolean;
  nullable?: boolean;
  neededByNewRows?: string;
  onePer?: string;
  value?: Value;
  fromScope?: ScopeValue;
}

/** An array of another resource's elements within each element, joined by SKU. */
export interface NestedArray {
  name: string;
  resource: Resource;
  /** SQL order of its elements, total within one parent. */
  orderBy: string;
}

/** An entity class whose properties are declared with the decorators below. */
export type Resource = new () => object;

const fields = new Map<object, FieldDeclaration[]>();
const arrays = new Map<object, NestedArray[]>();

/**
 * Declares a property as a column and as a field of the answers. Order of declaration is order of answer. This one
 * place drives the column, the SELECT, the JSON, the schema endpoint and the import file.
 */
export function Field(declaration: FieldOptions): PropertyDecorator {
  return declare(declaration, { stored: true, returned: true });
}

/** Declares a property as a column that is imported but never answered. */
export function HiddenField(declaration: ColumnOptions): PropertyDecorator {
  return declare(declaration, { stored: true, returned: false });
}

/** Declares a property as a field of the answers that has no column of its own. */
export function Computed(declaration: ComputedOptions): PropertyDecorator {
  return declare(declaration, { stored: false, returned: true });
}

/** Declares a property as an array of the elements of another resource. */
export function Nested(resource: Resource, orderBy: string): PropertyDecorator {
  return (target, key) => append(arrays, target.constructor, { name: String(key), resource, orderBy });
}

/** Whether every row has a value for the field, so that a file may not lack its column. */
export function isRequired({ primary = false, nullable }: FieldDeclaration): boolean {
  return primary || nullable === false;
}

/** The answered fields of a resource, in order of declaration. */
export function fieldsOf(resource: Resource): readonly FieldDeclaration[] {
  return declared(resource).filter(({ returned }) => returned);
}

/** The columns of a resource, in order of declaration. */
export function columnsOf(resource: Resource): readonly FieldDeclaration[] {
  return declared(resource).filter(({ stored }) => stored);
}

/** The nested arrays of a resource, in order of declaration. */
export function arraysOf(resource: Resource): readonly NestedArray[] {
  return arrays.get(resource) ?? [];
}

/** The keys of a resource's elements, in order of answer. */
export function keysOf(resource: Resource): readonly string[] {
  return [...fieldsOf(resource), ...arraysOf(resource)].map(({ name }) => name);
}

function declared(resource: Resource): readonly FieldDeclaration[] {
  return fields.get(resource) ?? [];
}

function declare(
  declaration: ColumnOptions | ComputedOptions,
  use: Pick<FieldDeclaration, 'stored' | 'returned'>,
): PropertyDecorator {
  return (target, key) => {
    const field: FieldDeclaration = { ...declaration, ...use, name: String(key) };
    append(fields, target.constructor, field);
    if (!field.stored) return;
    const { type, length, scale, primary, nullable = true } = field;
    // A point in time is stored with milliseconds.
    const precision = type === 'datetime' ? 3 : field.precision;
    const column = { type, length, precision, scale };
    if (primary) PrimaryColumn(column)(target, key);
    else Column({ ...column, nullable })(target, key);
  };
}

function append<T>(registry: Map<object, T[]>, resource: object, entry: T): void {
  registry.set(resource, [...(registry.get(resource) ?? []), entry]);
}
