import { createHash } from 'node:crypto';
import { arraysOf, fieldsOf, type Resource } from './field.decorator.js';

/**
 * Increase it with every change of serialization that the declarations do not show: how values are converted to JSON, or
 * JSON to another format.
 */
const SERIALIZER_REVISION = 3;

/** Returns a hash that identifies the serialization of a resource's elements. Another declaration has another hash. */
export function serializationHash(resource: Resource): string {
  const text = JSON.stringify([SERIALIZER_REVISION, describe(resource)]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function describe(resource: Resource): unknown {
  const fields = fieldsOf(resource).map(({ name, type, fixedScale }) => [name, type, fixedScale]);
  return [fields, arraysOf(resource).map(({ name, orderBy, resource: element }) => [name, orderBy, describe(element)])];
}
