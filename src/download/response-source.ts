import type { Request } from 'express';
import type { Snapshot } from '../database/engine.js';
import type { Offer } from '../http/accept.js';
import type { ValidatorHeaders } from '../http/validator.js';
import type { CustomerScope } from '../scope/customer-scope.js';
import type { Encoding } from './compression.js';
import type { Pieces } from './format.js';

/** A media type that a path returns. */
export interface BodyFormat extends Offer {
  readonly contentType: string;
}

/** The form of a response. */
export interface Representation {
  readonly format: BodyFormat;
  readonly encoding: Encoding;
}

/** A request, and the state of the content that it gets. */
export interface Reading {
  readonly request: Request;
  readonly representation: Representation;
  readonly snapshot: Snapshot;
  /** As the snapshot has it. */
  readonly scope: CustomerScope;
}

/** A body that is ready to be made from a snapshot. */
export interface OpenedBody {
  /** All headers of a 200 that do not depend on how it is sent. */
  readonly headers: ValidatorHeaders;
  /** @param confirm throws if the snapshot has changed; to be awaited before the last piece */
  pieces(confirm: () => Promise<void>): Pieces;
}

/** What a path returns from a snapshot. */
export interface ResponseSource {
  /** Whether finished bodies may be sent again. Stock is always read from the database (interface §4, rule 2). */
  readonly isCacheable: boolean;
  /** The default first. */
  readonly formats: readonly BodyFormat[];
  /** The formats, for people. */
  readonly formatsInWords: string;
  /** The headers that a 200 and a 304 share. */
  headers(request: Request, scope: CustomerScope, representation: Representation): ValidatorHeaders;
  /** Whether the client has what it would get in this scope. */
  isFresh(request: Request, scope: CustomerScope, headers: ValidatorHeaders): boolean;
  /** @throws {OlderReplica} if the server may know a version that the snapshot does not know */
  open(reading: Reading): Promise<OpenedBody>;
}

/** The snapshot comes from a read replica that may lack what the client names. */
export class OlderReplica extends Error {}
