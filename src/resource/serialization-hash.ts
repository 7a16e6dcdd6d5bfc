import { createHash } from 'node:crypto';
import { arraysOf, fieldsOf, type Resource } from './field.decorator.js';

/**
 * Raise it with every change that the declarations do not show: how values become JSON, or how JSON becomes another
 * format.
 */
const SERIALIZER_REVISION = 3;

/** Names how the elements of a resource are written: another declaration, another name. */
export function serializationHash(resource: Resource): string {
  const text = JSON.stringify([SERIALIZER_REVISION, describe(resource)]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function describe(resource: Resource): unknown {
  const fields = fieldsOf(resource).map(({ name, type, fixedScale }) => [name, type, fixedScale]);
  return [fields, arraysOf(resource).map(({ name, orderBy, resource: element }) => [name, orderBy, describe(element)])];
}
