import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Response } from 'express';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { SETTINGS, type Settings } from '../config/settings.js';
import { DatabaseService } from '../database/database.service.js';
import type { Snapshot } from '../database/engine.js';
import { customerNotFound } from '../http/api-error.js';
import { cutConnection, type CutReason } from '../http/cut.js';
import { requestIdOf } from '../http/request-id.js';
import type { CustomerScope } from '../scope/customer-scope.js';
import { CustomerScopeService } from '../scope/customer-scope.service.js';
import { DownloadSlots } from './download-slots.js';
import type { Batches, Pieces } from './format.js';
import { watchPace } from './pace.js';
import {
  compressor,
  type Content,
  describe,
  describeBody,
  type Representation,
  representationFor,
  undescribe,
} from './representation.js';

/** What a data endpoint answers. */
export interface ElementSource extends Content {
  /** The keys of each element, in order. */
  readonly keys: readonly string[];
  /** The elements of the answer as JSON, the separator (one byte) before each, in batches; no batch is empty. */
  elements(snapshot: Snapshot, scope: CustomerScope, separator: string): Batches;
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
   * Sends the elements in the format that the client prefers, or says that the client has them. An error before the
   * first byte is thrown, to be answered as such; a later one cuts the connection, so that nobody takes a part for the
   * whole. The snapshot ends with the answer, however that ends.
   */
  async send(response: Response, scope: CustomerScope, source: ElementSource): Promise<void> {
    const { req: request } = response;
    const representation = representationFor(request);
    describe(response, source, scope, representation);
    if (request.fresh) return void response.status(304).end();
    if (request.method === 'HEAD') {
      describeBody(response, source, scope, representation);
      return void response.end();
    }
    // They are of the scope that the guard read; what is sent is of a later snapshot, and an error is of neither.
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
    const begin = (current: CustomerScope) => describeBody(response, source, current, representation);
    const body = this.bodyOf(scope, source, representation, begin);
    try {
      const first = await body.next();
      if (gone.aborted) return;
      await this.pipe(first.value!, body, response, compressor(representation), gone);
    } finally {
      await body.return(undefined);
    }
  }

  /** @param begin told the terms that the body is made with, when its first part is there */
  private async *bodyOf(
    scope: CustomerScope,
    source: ElementSource,
    { format }: Representation,
    begin: (scope: CustomerScope) => void,
  ): Pieces {
    const snapshot = await this.database.snapshot();
    try {
      // The terms are read again, from the snapshot: an import may have changed discount and prices since the guard.
      const current = await this.scopes.find(scope.customerCode, snapshot.query);
      if (!current) throw customerNotFound();
      const pieces = format.write(source.elements(snapshot, current, format.separator), source.keys);
      const first = await pieces.next();
      begin(current);
      yield first.value!;
      yield* pieces;
    } finally {
      await snapshot.close();
    }
  }

  /** Resolves when the answer is complete, cut, or left by its client. */
  private async pipe(
    first: string | Buffer,
    rest: Pieces,
    response: Response,
    compress: ReturnType<typeof compressor>,
    gone: AbortSignal,
  ): Promise<void> {
    const { socket } = response.req;
    const cut = (why: CutReason, what: string) => this.cut(response, why, what);
    const pieces = async function* () {
      try {
        if (!compress) yield first;
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
    // The first bytes go out as early as without compression, rather than when a block is full; and always the same ones,
    // so that the compressed bytes are the same, too.
    compress?.write(first);
    compress?.flush();
    const streams = [Readable.from(pieces(), { highWaterMark: 1 }), ...(compress ? [compress] : []), response] as const;
    // Either it was cut, which is logged, or its client left.
    await pipeline(streams, { signal: gone })
      .catch(() => undefined)
      .finally(unwatch);
  }

  private cut({ req: request }: Response, why: CutReason, what: string): void {
    const requestId = requestIdOf(request);
    this.logger.error(`The answer to request ${requestId} was cut: ${what}`, { requestId });
    cutConnection(request.socket, why);
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
