import { getMetadataArgsStorage } from 'typeorm';
import { columnsOf, type Resource } from './field.decorator.js';

/** Whether rows of a table are stored as this class. */
export function isEntity(resource: Resource): boolean {
  return getMetadataArgsStorage().tables.some(({ target }) => target === resource);
}

/** The table of an entity class. */
export function tableOf(entity: Resource): string {
  const table = getMetadataArgsStorage().tables.find(({ target }) => target === entity);
  if (!table?.name) throw new Error(`${entity.name} is not an entity with a named table`);
  return table.name;
}

/** What a SELECT lists to read the columns of an entity, each under its own name, but those that all rows of an answer share. */
export function selectColumns(entity: Resource): string {
  const table = tableOf(entity);
  return columnsOf(entity)
    .filter(({ fromScope }) => !fromScope)
    .map(({ name }) => `${table}.${name} AS ${name}`)
    .join(', ');
}
