import { Column, PrimaryColumn } from 'typeorm';
import type { CustomerTerms } from '../scope/customer-scope.js';
import type { Row } from '../database/query.js';

/** The types of columns and fields. A type also determines how values are read from files and written as JSON. */
export type FieldType = 'varchar' | 'text' | 'int' | 'decimal' | 'boolean' | 'date' | 'datetime';

/** Computes the returned value from the row, if it is not the stored value. */
type Value = (row: Row, terms: CustomerTerms) => unknown;

/** Computes a value that is the same in all elements of a response. */
type ScopeValue = (terms: CustomerTerms) => unknown;

interface FieldDescription {
  /** One sentence for integrators, with the unit if there is one. */
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
  /** Whether the text is a code: an import removes spaces around it. Keys are always codes. */
  identifier?: boolean;
  pattern?: Pattern;
}

/** Bounds of a number, both inclusive. */
interface NumberBounds {
  min?: number;
  max?: number;
}

/** The required and optional properties of each column type. */
type ColumnType =
  | ({ type: 'varchar'; /** Maximum length in characters. */ length: number } & TextBounds)
  | ({ type: 'text' } & TextBounds)
  | ({ type: 'int' } & NumberBounds)
  | ({
      type: 'decimal';
      /** Total digits. */ precision: number;
      /** Digits after the point. */ scale: number;
    } & NumberBounds)
  | { type: 'boolean'; /** A column. At most one row may have this flag for each of its values. */ onePer?: string }
  | { type: 'date' | 'datetime' };

/** Part of the key. Tables are read in the order of their keys, so a key needs a type that every engine orders alike. */
type KeyColumn = { primary: true } & (
  { type: 'varchar'; length: number; pattern?: Pattern } | ({ type: 'int' } & NumberBounds) | { type: 'date' }
);

interface FurtherColumn {
  primary?: never;
  /** False: the column always holds a value. Default: true. */
  nullable?: boolean;
  /** Why a new row needs this nullable column. A file that lacks the column must not contain new rows. */
  neededByNewRows?: string;
}

type ColumnOptions = KeyColumn | (ColumnType & FurtherColumn);

/** The source of a returned value that is not the stored value. `value` and `fromScope` exclude each other. */
type ValueSource = { value?: Value; fromScope?: never } | { value?: never; fromScope?: ScopeValue };

type FieldOptions = ColumnOptions & FieldDescription & ValueSource;

type ComputedType =
  | { type: 'varchar'; /** Maximum length in characters. */ length?: number }
  /** `fixedScale` writes this many digits after the point. By default, trailing zeros are omitted. */
  | { type: 'decimal'; fixedScale?: number }
  | { type: Exclude<FieldType, 'varchar' | 'decimal'> };

/** `nullable: false` means that there is always a value. Default: true. */
type ComputedOptions = ComputedType & FieldDescription & ValueSource & { nullable?: boolean };

/**
 * A declared property of an entity, for all code that stores, returns, describes or imports it. The unions above define
 * which of its properties may be combined.
 */
export interface FieldDeclaration extends TextBounds, NumberBounds, Partial<FieldDescription> {
  /** Name of the column, key in responses and header in the import file. */
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

/** An array within each element, with elements of another resource that have the same SKU. */
export interface NestedArray {
  name: string;
  resource: Resource;
  /** SQL order of the array. It must be a total order within one parent. */
  orderBy: string;
}

/** An entity class whose properties are declared with the decorators below. */
export type Resource = new () => object;

const fields = new Map<object, FieldDeclaration[]>();
const arrays = new Map<object, NestedArray[]>();

/**
 * Declares a property as a column and as a field of responses. Fields are returned in the order of their declaration. The
 * column, the SELECT list, the JSON, the schema endpoint and the import file all follow from this declaration.
 */
export function Field(declaration: FieldOptions): PropertyDecorator {
  return declare(declaration, { stored: true, returned: true });
}

/** Declares a property as a column that is imported but never returned. */
export function HiddenField(declaration: ColumnOptions): PropertyDecorator {
  return declare(declaration, { stored: true, returned: false });
}

/** Declares a property as a field of responses without its own column. */
export function Computed(declaration: ComputedOptions): PropertyDecorator {
  return declare(declaration, { stored: false, returned: true });
}

/** Declares a property as an array of the elements of another resource. */
export function Nested(resource: Resource, orderBy: string): PropertyDecorator {
  return (target, key) => append(arrays, target.constructor, { name: String(key), resource, orderBy });
}

/** Whether every row has a value for the field. If so, a file must have its column. */
export function isRequired({ primary = false, nullable }: FieldDeclaration): boolean {
  return primary || nullable === false;
}

/** Returns the returned fields of a resource, in order of declaration. */
export function fieldsOf(resource: Resource): readonly FieldDeclaration[] {
  return declared(resource).filter(({ returned }) => returned);
}

/** Returns the columns of a resource, in order of declaration. */
export function columnsOf(resource: Resource): readonly FieldDeclaration[] {
  return declared(resource).filter(({ stored }) => stored);
}

/** Returns the nested arrays of a resource, in order of declaration. */
export function arraysOf(resource: Resource): readonly NestedArray[] {
  return arrays.get(resource) ?? [];
}

/** Returns the keys of a resource's elements, in the order of responses. */
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
