import type { DatabaseService } from '../database/database.service.js';
import type { Snapshot } from '../database/engine.js';
import { customerNotFound } from '../http/api-error.js';
import { assertSameScope, type CustomerScope } from '../scope/customer-scope.js';
import type { CustomerScopeService } from '../scope/customer-scope.service.js';
import { encoded } from './compression.js';
import type { ElementSource } from './element-source.js';
import type { Pieces } from './format.js';
import { endingWith } from './last-sku.js';
import type { Representation } from './representation.js';

/** What one response is made from, all of it read from the same snapshot. */
export class OpenedSource {
  private constructor(
    private readonly source: ElementSource,
    private readonly snapshot: Snapshot,
    private readonly confirm: () => Promise<void>,
    readonly scope: CustomerScope,
    readonly lastSku: string | undefined,
  ) {}

  /** @throws {ApiError} 404 if the customer is not active in the snapshot, which is then closed again */
  static async open(
    database: DatabaseService,
    scopes: CustomerScopeService,
    customerCode: string,
    source: ElementSource,
  ): Promise<OpenedSource> {
    const snapshot = await database.snapshot();
    try {
      // The terms are read again, from the snapshot: an import may have changed discount and prices since the guard.
      const scope = await scopes.find(customerCode, snapshot.query);
      if (!scope) throw customerNotFound();
      // The `ETag` names the versions of this scope, so the snapshot has to keep them.
      const confirm = async () => assertSameScope(scope, await scopes.find(customerCode, snapshot.query));
      return new OpenedSource(source, snapshot, confirm, scope, await source.lastSku(snapshot, scope.terms));
    } catch (error) {
      await snapshot.close();
      throw error;
    }
  }

  /** Makes the body, and closes the snapshot as soon as the body is made. */
  async *body({ format, encoding }: Representation, gone: AbortSignal): Pieces {
    const { source, snapshot, lastSku } = this;
    try {
      const batches = source.elements(snapshot, this.scope.terms, format.separator);
      yield* encoded(format.write(endingWith(lastSku, batches, this.confirm), source.keys), encoding, gone);
    } finally {
      await this.close();
    }
  }

  close(): Promise<void> {
    return this.snapshot.close();
  }
}
