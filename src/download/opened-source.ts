import type { Request } from 'express';
import type { DatabaseService } from '../database/database.service.js';
import type { Snapshot } from '../database/engine.js';
import { customerNotFound } from '../http/api-error.js';
import { assertSameScope } from '../scope/customer-scope.js';
import type { CustomerScopeService } from '../scope/customer-scope.service.js';
import { encoded } from './compression.js';
import type { Pieces } from './format.js';
import { OlderReplica, type OpenedBody, type Representation, type ResponseSource } from './response-source.js';

/** A request for the elements that a customer sees. */
interface SourceRequest {
  readonly customerCode: string;
  readonly request: Request;
  readonly representation: Representation;
}

/** A response source with its snapshot. The whole response is read from this snapshot. */
export class OpenedSource {
  private constructor(
    private readonly snapshot: Snapshot,
    private readonly opened: OpenedBody,
    private readonly confirm: () => Promise<void>,
    private readonly representation: Representation,
  ) {}

  /**
   * Opens a snapshot of a replica or, if the replica lacks what the request names, of the server.
   * @throws {ApiError} 404 if the customer is not active in the snapshot, which is then closed
   */
  static async open(
    database: DatabaseService,
    scopes: CustomerScopeService,
    source: ResponseSource,
    request: SourceRequest,
  ): Promise<OpenedSource> {
    try {
      return await OpenedSource.from(await database.snapshot(), scopes, source, request);
    } catch (error) {
      if (!(error instanceof OlderReplica)) throw error;
    }
    return OpenedSource.from(await database.snapshotOfServer(), scopes, source, request);
  }

  private static async from(
    snapshot: Snapshot,
    scopes: CustomerScopeService,
    source: ResponseSource,
    { customerCode, request, representation }: SourceRequest,
  ): Promise<OpenedSource> {
    try {
      // An import may have changed discount and prices since the guard read the scope, so the scope is read again.
      const scope = await scopes.find(customerCode, snapshot.query);
      if (!scope) throw customerNotFound();
      // The `ETag` names the versions of this scope, so they must not change within the snapshot.
      const confirm = async () => assertSameScope(scope, await scopes.find(customerCode, snapshot.query));
      const opened = await source.open({ request, representation, snapshot, scope });
      return new OpenedSource(snapshot, opened, confirm, representation);
    } catch (error) {
      await snapshot.close();
      throw error;
    }
  }

  get headers() {
    return this.opened.headers;
  }

  /** Yields the body, and closes the snapshot as soon as the body ends. */
  async *body(disconnected: AbortSignal): Pieces {
    try {
      yield* encoded(this.opened.pieces(this.confirm), this.representation.encoding, disconnected);
    } finally {
      await this.close();
    }
  }

  close(): Promise<void> {
    return this.snapshot.close();
  }
}
