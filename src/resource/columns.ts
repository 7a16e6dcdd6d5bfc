import { getMetadataArgsStorage } from 'typeorm';
import { columnsOf, type Resource } from './field.decorator.js';

/** Whether the class is an entity, whose rows are in a table. */
export function isEntity(resource: Resource): boolean {
  return getMetadataArgsStorage().tables.some(({ target }) => target === resource);
}

/** Returns the table of an entity class. @throws if the class is not an entity with a named table */
export function tableOf(entity: Resource): string {
  const table = getMetadataArgsStorage().tables.find(({ target }) => target === entity);
  if (!table?.name) throw new Error(`${entity.name} is not an entity with a named table`);
  return table.name;
}

/** Returns the SELECT list of an entity's columns. Omits columns whose value is the same in all elements of a response. */
export function selectColumns(entity: Resource): string {
  const table = tableOf(entity);
  return columnsOf(entity)
    .filter(({ fromScope }) => !fromScope)
    .map(({ name }) => `${table}.${name} AS ${name}`)
    .join(', ');
}
