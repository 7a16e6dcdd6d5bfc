import type { Type } from '@nestjs/common';
import { ASSORTMENT_ENTITIES } from '../assortment/assortment.js';
import type { Elements } from '../download/elements.js';
import { hasOneRowPerSku, importTableOf } from '../import/import-tables.js';
import { isEntity } from '../resource/columns.js';
import { arraysOf, type Resource } from '../resource/field.decorator.js';
import { PART_NAMES, type PartName } from '../versions/content-parts.js';
import type { Deprecation } from './deprecation.js';

/** An endpoint that returns all elements of one resource, with its schema endpoint. */
export interface DataEndpoint {
  path: `/${string}`;
  /** The class of its elements. */
  resource: Resource;
  /** A SELECT list over `prices` and `products`, for elements without their own table. It must name `SKU`. */
  select?: string;
  /** A provider of the module that reads the elements. Default: `TableElements`, which reads the table of the resource. */
  source?: Type<Elements>;
  /**
   * Further entities that `source` reads. The entities of the assortment, the resource and its arrays are included
   * automatically.
   */
  reads?: readonly Resource[];
  /**
   * Whether the endpoint has a path `/changes`. This requires at most one element for each SKU, and elements that depend
   * only on rows with their own SKU. Default: true if the elements come from a table with such a key.
   */
  hasChanges?: boolean;
  /**
   * Whether the service may cache bodies (decision 132). If false, it reads each response from the database. Default:
   * true.
   */
  isCacheable?: boolean;
  /** Announces the removal of the endpoint, with `/changes` and `/schema`. */
  deprecated?: Deprecation;
  /** Tag in the OpenAPI document, and end of its operation ids. */
  tag: string;
  summary: string;
  description: string;
}

/**
 * Returns the content parts that the responses of an endpoint depend on: the parts of all tables that it reads.
 * @throws if a table belongs to no part, because its changes would not change the `ETag`
 */
export function contentPartsOf({ path, resource, reads = [] }: DataEndpoint): readonly PartName[] {
  const entities = [...ASSORTMENT_ENTITIES, ...entitiesOf(resource), ...reads].filter(isEntity);
  const parts = new Set(
    entities.map((entity) => {
      const part = importTableOf(entity)?.part;
      if (!part) throw new Error(`${path} reads ${entity.name}: name its content part in import-tables.ts`);
      return part;
    }),
  );
  return PART_NAMES.filter((part) => parts.has(part));
}

/** Returns a resource and the resources of its arrays. */
function entitiesOf(resource: Resource): Resource[] {
  return [resource, ...arraysOf(resource).flatMap((array) => entitiesOf(array.resource))];
}

/** The paths that return elements: all of them, and those that changed if the endpoint has such a path. */
export function elementPathsOf(endpoint: DataEndpoint): string[] {
  const { path } = endpoint;
  return hasChanges(endpoint) ? [path, `${path}/changes`] : [path];
}

/**
 * Whether the endpoint has a path `/changes`.
 * @throws if the declaration demands a path that would miss changes
 */
export function hasChanges({ path, resource, source, hasChanges: declared }: DataEndpoint): boolean {
  const table = importTableOf(resource);
  const isPossible = source !== undefined || !table || hasOneRowPerSku(table);
  if (declared && !isPossible) throw new Error(`${path} cannot have changes: it may have several elements for one SKU`);
  return declared ?? (!source && isPossible);
}
