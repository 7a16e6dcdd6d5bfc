import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Response } from 'express';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { SETTINGS, type Settings } from '../config/settings.js';
import { DatabaseService } from '../database/database.service.js';
import type { Snapshot } from '../database/engine.js';
import { customerNotFound } from '../http/api-error.js';
import { omitConnectionClose } from '../http/chunked.js';
import { cutConnection, type CutReason } from '../http/cut.js';
import { requestIdOf } from '../http/request-id.js';
import { assertSameScope, type CustomerScope, type CustomerTerms } from '../scope/customer-scope.js';
import { CustomerScopeService } from '../scope/customer-scope.service.js';
import { encoded } from './compression.js';
import { DownloadSlots } from './download-slots.js';
import type { Batches, Pieces } from './format.js';
import { watchPace } from './pace.js';
import { endingWith } from './last-sku.js';
import {
  type Content,
  describe,
  describeWhole,
  type Representation,
  representationFor,
  undescribe,
} from './representation.js';

/** What a data endpoint answers. */
export interface ElementSource extends Content {
  /** The keys of each element, in order. */
  readonly keys: readonly string[];
  /** The elements of the answer as JSON, the separator (one byte) before each, in batches; no batch is empty. */
  elements(snapshot: Snapshot, terms: CustomerTerms, separator: string): Batches;
  /** The SKU of the last element, found without reading the others; undefined: there is no element. */
  lastSku(snapshot: Snapshot, terms: CustomerTerms): Promise<string | undefined>;
}

/** What one response is made from, all of it read from the same snapshot. */
interface Opened {
  readonly snapshot: Snapshot;
  readonly scope: CustomerScope;
  readonly lastSku: string | undefined;
  /** @throws {InvariantViolation} if the snapshot no longer has the scope, whose versions the `ETag` names */
  confirm(): Promise<void>;
}

/** Answers with elements of any number, read from one snapshot at the pace of the client. */
@Injectable()
export class DownloadService {
  private readonly logger = new Logger(DownloadService.name);

  constructor(
    private readonly database: DatabaseService,
    private readonly scopes: CustomerScopeService,
    private readonly slots: DownloadSlots,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Sends the elements in the format that the client prefers, or a 304 if the client has them. `HEAD` gets the headers of
   * `GET`, from a snapshot of its own. An error before the first byte is thrown, and becomes a response of its own. A
   * later error resets the connection, so no client takes a part for the whole. The snapshot is closed in every case.
   */
  async send(response: Response, scope: CustomerScope, source: ElementSource): Promise<void> {
    const { req: request } = response;
    const representation = representationFor(request);
    describe(response, source, scope, representation);
    if (request.fresh) return void response.status(304).end();
    // These headers describe the scope that the guard read. The body comes from a later snapshot; an error from neither.
    undescribe(response);
    const gone = leaving(response);
    let release: (() => void) | undefined;
    try {
      release = await this.slots.take(scope.customerCode, gone.signal).catch(unlessGone(gone.signal));
      if (release) await this.sendFrom(response, scope, source, representation, gone.signal);
    } finally {
      release?.();
      gone.forget();
    }
  }

  private async sendFrom(
    response: Response,
    scope: CustomerScope,
    source: ElementSource,
    representation: Representation,
    gone: AbortSignal,
  ): Promise<void> {
    const opened = await this.open(scope.customerCode, source);
    const setHeaders = () => describeWhole(response, source, opened.scope, representation, opened.lastSku);
    if (response.req.method === 'HEAD') {
      await opened.snapshot.close();
      setHeaders();
      return void response.end();
    }
    const body = bodyOf(opened, source, representation, gone);
    try {
      const first = await body.next().catch(unlessGone(gone));
      if (!first || gone.aborted) return;
      setHeaders();
      await this.pipe(first.value!, body, response, gone);
    } finally {
      await body.return(undefined);
    }
  }

  private async open(customerCode: string, source: ElementSource): Promise<Opened> {
    const snapshot = await this.database.snapshot();
    try {
      // The terms are read again, from the snapshot: an import may have changed discount and prices since the guard.
      const scope = await this.scopes.find(customerCode, snapshot.query);
      if (!scope) throw customerNotFound();
      const confirm = async () => assertSameScope(scope, await this.scopes.find(customerCode, snapshot.query));
      return { snapshot, scope, lastSku: await source.lastSku(snapshot, scope.terms), confirm };
    } catch (error) {
      await snapshot.close();
      throw error;
    }
  }

  /** Resolves when the answer is complete, cut, or left by its client. */
  private async pipe(first: string | Buffer, rest: Pieces, response: Response, gone: AbortSignal): Promise<void> {
    const { socket } = response.req;
    const cut = (why: CutReason, what: string) => this.cut(response, why, what);
    const pieces = async function* () {
      try {
        yield first;
        yield* rest;
      } catch (error) {
        if (!response.destroyed && !socket.destroyed) cut('error', (error as Error).message);
        throw error;
      }
    };
    const {
      DOWNLOAD_STALL_SECONDS: window,
      DOWNLOAD_MIN_BYTES_PER_SECOND: bytesPerSecond,
      DOWNLOAD_MAX_SECONDS: most,
    } = this.settings;
    const unwatch = watchPace(socket, { window, bytesPerSecond, most }, cut);
    omitConnectionClose(response);
    // Either it was cut, which is logged, or its client left.
    await pipeline(Readable.from(pieces(), { highWaterMark: 1 }), response, { signal: gone })
      .catch(() => undefined)
      .finally(unwatch);
  }

  private cut({ req: request }: Response, why: CutReason, what: string): void {
    const requestId = requestIdOf(request);
    this.logger.error(`The answer to request ${requestId} was cut: ${what}`, { requestId });
    cutConnection(request.socket, why);
  }
}

/** Makes the body, and closes the snapshot as soon as the body is made. */
async function* bodyOf(
  { snapshot, scope: { terms }, lastSku, confirm }: Opened,
  source: ElementSource,
  { format, encoding }: Representation,
  gone: AbortSignal,
): Pieces {
  try {
    const elements = endingWith(lastSku, source.elements(snapshot, terms, format.separator), confirm);
    yield* encoded(format.write(elements, source.keys), encoding, gone);
  } finally {
    await snapshot.close();
  }
}

/**
 * Aborts when the client's connection ends. Where the client closes its side only, Node would close ours in order, in the
 * midst of the answer.
 */
function leaving({ req: { socket } }: Response): { signal: AbortSignal; forget(): void } {
  const gone = new AbortController();
  const leave = () => gone.abort();
  const reset = () => socket.resetAndDestroy();
  // Before Node does, which leaves nothing to reset.
  socket.once('close', leave).prependOnceListener('end', reset);
  if (socket.destroyed || socket.readableEnded) leave();
  return { signal: gone.signal, forget: () => void socket.off('close', leave).off('end', reset) };
}

/** Nobody is told of an error that came of the client's leaving. */
function unlessGone(gone: AbortSignal): (error: unknown) => undefined {
  return (error) => {
    if (!gone.aborted) throw error;
  };
}
