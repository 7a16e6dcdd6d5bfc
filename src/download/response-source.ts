import type { Request } from 'express';
import type { Snapshot } from '../database/engine.js';
import type { Offer } from '../http/accept.js';
import type { ValidatorHeaders } from '../http/validator.js';
import type { CustomerScope, SnapshotScope } from '../scope/customer-scope.js';
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

/** A request, and the snapshot that its response is read from. */
export interface Reading {
  readonly request: Request;
  readonly representation: Representation;
  readonly snapshot: Snapshot;
  readonly scope: SnapshotScope;
}

/** A body that is ready to be read from a snapshot. */
export interface OpenedBody {
  /** All headers of a 200 except those that depend on how the body is sent. */
  readonly headers: ValidatorHeaders;
  /** @param confirm throws if the snapshot has changed; await it before the last piece */
  pieces(confirm: () => Promise<void>): Pieces;
}

/** Produces the response of a path from a snapshot. */
export interface ResponseSource {
  /** Whether finished bodies may be cached. Stock is always read from the database (interface §4, rule 2). */
  readonly isCacheable: boolean;
  /** The first is the default. */
  readonly formats: readonly BodyFormat[];
  /** The formats in words, for error messages. */
  readonly formatsInWords: string;
  /** The headers that a 200 and a 304 share. */
  headers(scope: CustomerScope, representation: Representation): ValidatorHeaders;
  /** Whether `If-None-Match` names the body that the request would get in this scope. */
  isFresh(request: Request, scope: CustomerScope, headers: ValidatorHeaders): boolean;
  /** @throws {OlderReplica} if the server may have a version that the snapshot lacks */
  open(reading: Reading): Promise<OpenedBody>;
}

/** The snapshot comes from a read replica that may lack the version in the request. */
export class OlderReplica extends Error {}
