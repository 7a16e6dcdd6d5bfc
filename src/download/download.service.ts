import { Injectable, Logger } from '@nestjs/common';
import type { Response } from 'express';
import { DatabaseService } from '../database/database.service.js';
import type { Snapshot } from '../database/engine.js';
import { customerNotFound } from '../http/api-error.js';
import { omitConnectionClose } from '../http/chunked.js';
import { cutConnection, type CutReason } from '../http/cut.js';
import { requestIdOf } from '../http/request-id.js';
import { assertSameScope, type CustomerScope, type CustomerTerms } from '../scope/customer-scope.js';
import { CustomerScopeService } from '../scope/customer-scope.service.js';
import { encoded } from './compression.js';
import { Delivery } from './delivery.js';
import { ended } from './drained.js';
import { DownloadSlots, type Slot } from './download-slots.js';
import type { ElementBatches, Pieces } from './format.js';
import { endingWith } from './last-sku.js';
import {
  type Content,
  describe,
  describeWhole,
  etagOf,
  type Representation,
  representationFor,
  undescribe,
} from './representation.js';
import { type KeptBody, type KeptBodyUse, ResponseCache } from './response-cache.js';
import { SpoolFile } from './spool-file.js';
import { SpoolSpace } from './spool-space.js';

/** What a data endpoint answers. */
export interface ElementSource extends Content {
  /** Whether finished bodies may be sent again. Stock is always read from the database (interface §4, rule 2). */
  readonly isCacheable: boolean;
  /** The keys of each element, in order. */
  readonly keys: readonly string[];
  /** The elements of the answer as JSON, the separator (one byte) before each, in batches; no batch is empty. */
  elements(snapshot: Snapshot, terms: CustomerTerms, separator: string): ElementBatches;
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

/** Sends elements of any number, read from one snapshot at the pace of the database and sent at the pace of the client. */
@Injectable()
export class DownloadService {
  private readonly logger = new Logger(DownloadService.name);

  constructor(
    private readonly database: DatabaseService,
    private readonly scopes: CustomerScopeService,
    private readonly slots: DownloadSlots,
    private readonly space: SpoolSpace,
    private readonly cache: ResponseCache,
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
    const etag = etagOf(response);
    // These headers describe the scope that the guard read. The body comes from a later snapshot; an error from neither.
    undescribe(response);
    const gone = leaving(response);
    let kept = this.find(source, etag);
    let slot: Slot | undefined;
    try {
      slot = await this.slots.take(scope.customerCode, !kept, gone.signal).catch(unlessGone(gone.signal));
      if (!slot) return;
      // Another request may have made the same body meanwhile.
      kept ??= this.find(source, etag);
      if (kept) slot.endReading();
      if (kept) await this.sendKept(response, scope, source, representation, kept.body, slot);
      else await this.sendFrom(response, scope, source, representation, slot, gone.signal);
    } finally {
      kept?.release();
      slot?.release();
      gone.forget();
    }
  }

  private find({ isCacheable }: ElementSource, etag: string): KeptBodyUse | undefined {
    return isCacheable ? this.cache.find(etag) : undefined;
  }

  private async sendKept(
    response: Response,
    scope: CustomerScope,
    source: ElementSource,
    representation: Representation,
    { blocks, size, lastSku }: KeptBody,
    slot: Slot,
  ): Promise<void> {
    this.cache.hits++;
    describeWhole(response, source, scope, representation, lastSku);
    response.set('Content-Length', String(size));
    if (response.req.method === 'HEAD') return void response.end();
    slot.watch(response.req.socket, this.abortOf(response));
    // The queue holds references to the blocks, so a slow client costs no memory.
    for (const block of blocks) response.write(block);
    await ended(response);
  }

  private async sendFrom(
    response: Response,
    scope: CustomerScope,
    source: ElementSource,
    representation: Representation,
    slot: Slot,
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
      omitConnectionClose(response);
      const whole = rejoined(first.value!, body);
      await this.deliver(response, this.recorded(whole, response, source, opened.lastSku), slot, scope.customerCode);
    } finally {
      await body.return(undefined);
    }
  }

  private recorded(body: Pieces, response: Response, source: ElementSource, lastSku: string | undefined): Pieces {
    if (!source.isCacheable) return body;
    this.cache.misses++;
    return this.cache.record(body, etagOf(response), lastSku);
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

  /** Resolves when the response is complete, aborted, or left by its client. */
  private async deliver(response: Response, body: Pieces, slot: Slot, customerCode: string): Promise<void> {
    const abort = this.abortOf(response);
    slot.watch(response.req.socket, abort);
    const delivery = new Delivery(response, {
      openSpool: () => SpoolFile.open(this.space, customerCode),
      heldUp: slot.heldUp,
    });
    try {
      await delivery.take(body);
      slot.endReading();
      await delivery.finish();
    } catch (error) {
      if (!response.destroyed) abort('error', (error as Error).message);
    } finally {
      await delivery.close();
    }
  }

  private abortOf(response: Response) {
    return (why: CutReason, what: string) => {
      const requestId = requestIdOf(response.req);
      this.logger.error(`The answer to request ${requestId} was cut: ${what}`, { requestId });
      cutConnection(response.req.socket, why);
    };
  }
}

async function* rejoined(first: string | Buffer, rest: Pieces): Pieces {
  yield first;
  yield* rest;
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
