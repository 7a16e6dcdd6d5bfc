import { Injectable, Logger } from '@nestjs/common';
import type { Response } from 'express';
import { DatabaseService } from '../database/database.service.js';
import { omitConnectionClose } from '../http/chunked.js';
import { abortConnection, type AbortReason } from '../http/abort.js';
import { requestIdOf } from '../http/request-id.js';
import { traceIdOf } from '../http/trace-context.js';
import type { ValidatorHeaders } from '../http/validator.js';
import type { CustomerScope } from '../scope/customer-scope.js';
import { CustomerScopeService } from '../scope/customer-scope.service.js';
import { watchDisconnect, unlessDisconnected } from './client-disconnect.js';
import { Delivery } from './delivery.js';
import { ended } from './drained.js';
import { DownloadSlots, type Slot } from './download-slots.js';
import type { Pieces } from './format.js';
import { OpenedSource } from './opened-source.js';
import { inPhase } from './phase.js';
import { ReadingOrder } from './reading-order.js';
import { representationFor } from './representation.js';
import type { Representation, ResponseSource } from './response-source.js';
import { type CachedBody, type CachedBodyUse, ResponseCache } from './response-cache.js';
import { SpoolFile } from './spool-file.js';
import { SpoolSpace } from './spool-space.js';

/** A request for elements. */
interface Download {
  readonly response: Response;
  /** The scope that the guard read. */
  readonly scope: CustomerScope;
  readonly source: ResponseSource;
  readonly representation: Representation;
  /** The headers of a response in this scope. */
  readonly headers: ValidatorHeaders;
  /** Aborts when the client disconnects. */
  readonly disconnected: AbortSignal;
}

/**
 * Reads the elements of a response from one snapshot at the pace of the database, and sends them at the pace of the
 * client.
 */
@Injectable()
export class DownloadService {
  private readonly logger = new Logger(DownloadService.name);
  private readonly order = new ReadingOrder();

  constructor(
    private readonly database: DatabaseService,
    private readonly scopes: CustomerScopeService,
    private readonly slots: DownloadSlots,
    private readonly space: SpoolSpace,
    private readonly cache: ResponseCache,
  ) {}

  /**
   * Sends the elements in the format that the client prefers, or a 304 if the client has them. `HEAD` returns the
   * headers of `GET` from a new snapshot. An error before the first byte is thrown and becomes an error response. A
   * later error resets the connection, so that a client does not mistake an incomplete response for a complete one. The
   * snapshot is always closed.
   */
  async send(response: Response, scope: CustomerScope, source: ResponseSource): Promise<void> {
    const { req: request } = response;
    const representation = representationFor(request, source);
    const headers = source.headers(scope, representation);
    // Without `set` of Express, which takes longer: a 304 is the most frequent response.
    if (source.isFresh(request, scope, headers)) return void response.writeHead(304, headers).end();
    const watch = watchDisconnect(response);
    try {
      await this.sendWhole({ response, scope, source, representation, headers, disconnected: watch.signal });
    } finally {
      watch.stop();
    }
  }

  /** Waits for a slot, then sends a cached body or reads a new one. */
  private async sendWhole(download: Download): Promise<void> {
    const { scope, disconnected } = download;
    let cached = this.find(download);
    let slot: Slot | undefined;
    try {
      const take = () => this.slots.take(scope.customerCode, !cached, disconnected);
      slot = await inPhase('wait', take).catch(unlessDisconnected(disconnected));
      if (!slot) return;
      // While this request waited, another one may have cached the same body.
      cached ??= this.find(download);
      if (cached) slot.endReading();
      if (cached) await this.sendCached(download, cached.body, slot);
      else await this.sendFresh(download, slot);
    } finally {
      cached?.release();
      slot?.release();
    }
  }

  private find({ source, headers }: Download): CachedBodyUse | undefined {
    return source.isCacheable ? this.cache.find(headers.ETag) : undefined;
  }

  private async sendCached({ response }: Download, { blocks, size, headers }: CachedBody, slot: Slot): Promise<void> {
    response.set({ ...headers, 'Content-Length': String(size) });
    if (response.req.method === 'HEAD') return void response.end();
    this.cache.hits++;
    slot.watch(response.req.socket, this.abortOf(response));
    // The queue holds references to the blocks, so a slow client costs no memory.
    for (const block of blocks) response.write(block);
    await inPhase('send', () => ended(response));
  }

  private async sendFresh(
    { response, scope, source, representation, disconnected }: Download,
    slot: Slot,
  ): Promise<void> {
    const { customerCode } = scope;
    // The snapshot may be newer than the scope that the guard read. The headers describe the snapshot.
    const request = { customerCode, request: response.req, representation };
    const opened = await inPhase('open', () => OpenedSource.open(this.database, this.scopes, source, request));
    if (response.req.method === 'HEAD') {
      await opened.close();
      return void response.set(opened.headers).end();
    }
    const body = opened.body(disconnected);
    try {
      const first = await inPhase('begin', () => this.order.readNow(() => body.next())).catch(
        unlessDisconnected(disconnected),
      );
      if (!first || disconnected.aborted) return;
      const { headers } = opened;
      response.set(headers);
      omitConnectionClose(response);
      const whole = rejoined(first.value!, body);
      const heldUp = new AbortController();
      const recorded = source.isCacheable ? this.cache.record(whole, headers, heldUp.signal) : whole;
      await this.deliver(response, recorded, slot, heldUp);
    } finally {
      await body.return(undefined);
    }
  }

  /** Resolves when the response is complete or aborted, or the client has disconnected. */
  private async deliver(response: Response, body: Pieces, slot: Slot, heldUp: AbortController): Promise<void> {
    const abort = this.abortOf(response);
    slot.watch(response.req.socket, abort);
    const delivery = new Delivery(response, {
      order: this.order,
      openSpool: () => SpoolFile.open(this.space, slot.customerCode),
      heldUp: (waiting) => {
        heldUp.abort();
        return slot.heldUp(waiting);
      },
    });
    try {
      await inPhase('read', () => delivery.take(body));
      slot.endReading();
      await inPhase('send', () => delivery.finish());
    } catch (error) {
      if (!response.destroyed) abort('error', (error as Error).message);
    } finally {
      await delivery.close();
    }
  }

  private abortOf(response: Response) {
    return (why: AbortReason, what: string) => {
      const requestId = requestIdOf(response.req);
      const traceId = traceIdOf(response.req);
      this.logger.error(`Response to request ${requestId} aborted: ${what}`, { requestId, traceId });
      abortConnection(response.req.socket, why);
    };
  }
}

async function* rejoined(first: string | Buffer, rest: Pieces): Pieces {
  yield first;
  yield* rest;
}
