import type { Query } from '../database/query.js';
import { tableOf } from '../resource/columns.js';
import { columnsOf, type Resource } from '../resource/field.decorator.js';

/** Which keys exist of the entities that rows refer to: those stored, and those that this import brings. */
export class KnownKeys {
  private readonly keys = new Map<Resource, Set<string>>();
  private readonly unreadable = new Set<Resource>();

  constructor(private readonly query: Query) {}

  /** The keys of an entity with a single key column; whoever reads its file adds to them. */
  async of(entity: Resource): Promise<Set<string>> {
    const known = this.keys.get(entity);
    if (known) return known;
    const [key] = columnsOf(entity);
    const rows = await this.query(`SELECT ${key!.name} AS code FROM ${tableOf(entity)}`);
    const keys = new Set(rows.map(({ code }) => String(code)));
    this.keys.set(entity, keys);
    return keys;
  }

  /** Notes that the entity's file could not be read, so that what it brings cannot be known. */
  giveUp(entity: Resource): void {
    this.unreadable.add(entity);
  }

  /** Whether a missing key of the entity can be held against a row. */
  complete(entity: Resource): boolean {
    return !this.unreadable.has(entity);
  }
}
