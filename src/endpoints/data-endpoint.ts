import type { Type } from '@nestjs/common';
import { ASSORTMENT_ENTITIES } from '../assortment/assortment.js';
import type { Elements } from '../download/element-source.js';
import { hasOneRowPerSku, importTableOf } from '../import/import-tables.js';
import { isEntity } from '../resource/columns.js';
import { arraysOf, type Resource } from '../resource/field.decorator.js';
import { PART_NAMES, type PartName } from '../versions/content-parts.js';

/** An endpoint that returns all elements of one resource, with its schema endpoint. */
export interface DataEndpoint {
  path: `/${string}`;
  /** The class of its elements. */
  resource: Resource;
  /** A SELECT list over `prices` and `products`, with `SKU` among its names: for elements that have no table of their own. */
  select?: string;
  /** A provider of the module that reads the elements. Default: the table of the resource, within the assortment. */
  source?: Type<Elements>;
  /** Entities that `source` reads, besides those of the assortment, of the resource and of its arrays. */
  reads?: readonly Resource[];
  /**
   * Whether the endpoint has a path `/changes`. That needs at most one element for each SKU, and elements that depend only
   * on rows with their own SKU. Default: true if the elements come from a table with such a key.
   */
  hasChanges?: boolean;
  /** False: each response is read from the database. Default: finished bodies may be sent again (decision 132). */
  isCacheable?: boolean;
  /** Chapter of the OpenAPI document, and end of the ids of its operations. */
  tag: string;
  summary: string;
  description: string;
}

/**
 * The parts of the content that the responses of an endpoint depend on: those of all tables that it reads.
 * @throws if one of these tables belongs to no part, since its changes would leave the `ETag` as it is
 */
export function contentPartsOf({ path, resource, reads = [] }: DataEndpoint): readonly PartName[] {
  const entities = [...ASSORTMENT_ENTITIES, ...entitiesOf(resource), ...reads].filter(isEntity);
  const parts = new Set(
    entities.map((entity) => {
      const part = importTableOf(entity)?.part;
      if (!part) throw new Error(`${path} reads ${entity.name}: name its part of the content in import-tables.ts`);
      return part;
    }),
  );
  return PART_NAMES.filter((part) => parts.has(part));
}

/** A resource with the resources of its arrays. */
function entitiesOf(resource: Resource): Resource[] {
  return [resource, ...arraysOf(resource).flatMap((array) => entitiesOf(array.resource))];
}

/**
 * Whether a path returns what changed in the elements of the endpoint.
 * @throws if the declaration wants one that would miss changes
 */
export function hasChanges({ path, resource, source, hasChanges: declared }: DataEndpoint): boolean {
  const table = importTableOf(resource);
  const isPossible = source !== undefined || !table || hasOneRowPerSku(table);
  if (declared && !isPossible) throw new Error(`${path} cannot have changes: it may have several elements for one SKU`);
  return declared ?? (!source && isPossible);
}
