import type { SchemaObject } from 'openapi3-ts/oas31';
import {
  arraysOf,
  type FieldDeclaration,
  fieldsOf,
  type FieldType,
  type Resource,
} from '../resource/field.decorator.js';

/** The JSON schema of each column type in responses. */
const TYPES: Record<FieldType, SchemaObject & { type: 'string' | 'integer' | 'number' | 'boolean' }> = {
  varchar: { type: 'string' },
  text: { type: 'string' },
  int: { type: 'integer' },
  decimal: { type: 'number', format: 'decimal' },
  boolean: { type: 'boolean' },
  date: { type: 'string', format: 'date' },
  datetime: { type: 'string', format: 'date-time' },
};

/** Returns the schemas of a resource and of the elements of its nested arrays, by the names of their classes. */
export function schemasOf(resource: Resource): Record<string, SchemaObject> {
  const fields = fieldsOf(resource).map((field) => [field.name, fieldSchema(field)] as const);
  const arrays = arraysOf(resource).map(({ name, resource: element }) => [name, arrayOf(element)] as const);
  const properties = Object.fromEntries([...fields, ...arrays]);
  // Every key is always present (docs/decisions.md#1).
  const own: SchemaObject = { type: 'object', properties, required: Object.keys(properties) };
  return Object.assign({ [resource.name]: own }, ...arraysOf(resource).map((array) => schemasOf(array.resource)));
}

/** Returns the schema of an array of a resource's elements. */
export function arrayOf(resource: Resource): SchemaObject {
  return { type: 'array', items: { $ref: `#/components/schemas/${resource.name}` } };
}

/** Returns the schema of the changes of a resource, by its name. */
export function changesSchemaOf(resource: Resource): Record<string, SchemaObject> {
  const properties: Record<string, SchemaObject> = {
    ETag: { type: 'string', description: 'The same as the header `ETag`.' },
    Complete: {
      type: 'boolean',
      description: 'Whether `Changed` has every element. Then it replaces all data of the client.',
    },
    Changed: arrayOf(resource),
    Gone: { type: 'array', items: { type: 'string' }, description: 'SKUs of the elements to delete.' },
  };
  return { [`${resource.name}Changes`]: { type: 'object', properties, required: Object.keys(properties) } };
}

/** Returns an example element, made of the examples in the declaration of the resource. */
export function exampleOf(resource: Resource): Record<string, unknown> {
  const arrays = arraysOf(resource).map(({ name, resource: element }) => [name, [exampleOf(element)]]);
  return Object.fromEntries([...fieldsOf(resource).map(({ name, example }) => [name, example]), ...arrays]);
}

function fieldSchema({
  type,
  length,
  description,
  example,
  primary,
  nullable = !primary,
}: FieldDeclaration): SchemaObject {
  const { type: jsonType, ...rest } = TYPES[type];
  return {
    description: description!,
    type: nullable ? [jsonType, 'null'] : jsonType,
    ...rest,
    ...(length ? { maxLength: length } : {}),
    examples: [example],
  };
}
