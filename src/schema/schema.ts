import { API_PROFILE } from '../http/api-profile.js';
import { arraysOf, fieldsOf, type Resource } from '../resource/field.decorator.js';

/** A field in a schema response. */
interface SchemaField {
  /** The key in data responses with its first letter in lower case. */
  name: string;
  type: string;
  required: boolean;
  /** The key in data responses. */
  wireName: string;
}

export interface Schema {
  endpoint: string;
  apiVersion: string;
  fields: SchemaField[];
  /** Absent if the resource has no nested arrays. */
  arrays?: Record<string, { wireName: string; fields: SchemaField[] }>;
}

/** Describes the elements of a data endpoint from their declarations. */
export function schemaOf(endpoint: string, resource: Resource): Schema {
  const arrays = arraysOf(resource).map(({ name, resource: element }) => [
    camelCase(name),
    // No field of an array element is required, because the array may be empty.
    { wireName: name, fields: schemaFields(element).map((field) => ({ ...field, required: false })) },
  ]);
  return {
    endpoint,
    apiVersion: API_PROFILE,
    fields: schemaFields(resource),
    ...(arrays.length ? { arrays: Object.fromEntries(arrays) } : {}),
  };
}

/** Returns the schema type of a column type. An unknown type keeps its name, in lower case. */
export function schemaType(columnType: string): string {
  const name = columnType.toLowerCase();
  return SCHEMA_TYPES.get(name) ?? name;
}

const SCHEMA_TYPES = new Map([
  ...['varchar', 'char', 'text'].map((type) => [type, 'string'] as const),
  ...['int', 'integer', 'smallint', 'bigint'].map((type) => [type, 'integer'] as const),
  ...['decimal', 'numeric'].map((type) => [type, 'decimal'] as const),
  ...['boolean', 'bool'].map((type) => [type, 'boolean'] as const),
  ['date', 'date'],
  ...['datetime', 'timestamp'].map((type) => [type, 'datetime'] as const),
]);

function schemaFields(resource: Resource): SchemaField[] {
  return fieldsOf(resource).map(({ name, type, required = false }) => ({
    name: camelCase(name),
    type: schemaType(type),
    required,
    wireName: name,
  }));
}

function camelCase(name: string): string {
  return name[0]!.toLowerCase() + name.slice(1);
}
