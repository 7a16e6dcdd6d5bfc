import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Response } from 'express';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { SETTINGS, type Settings } from '../config/settings.js';
import type { CustomerScope } from '../scope/customer-scope.js';
import { CustomerScopeService } from '../scope/customer-scope.service.js';
import { DatabaseService } from '../database/database.service.js';
import type { Snapshot } from '../database/engine.js';
import { customerNotFound } from '../http/api-error.js';
import { requestIdOf } from '../http/request-id.js';

/** What a data endpoint answers. */
export interface ElementSource {
  /** The elements of the answer, each as JSON, in batches. */
  elements(snapshot: Snapshot, scope: CustomerScope): AsyncIterable<string[]>;
}

/** Answers with a JSON array of any length, read from one snapshot at the pace of the client. */
@Injectable()
export class DownloadService {
  private readonly logger = new Logger(DownloadService.name);

  constructor(
    private readonly database: DatabaseService,
    private readonly scopes: CustomerScopeService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Sends the array. An error before the first byte is thrown, to be answered as such; a later one cuts the connection,
   * so that nobody takes a part for the whole. The snapshot ends with the answer, however that ends.
   */
  async send(response: Response, scope: CustomerScope, source: ElementSource): Promise<void> {
    response.type('application/json');
    if (response.req.method === 'HEAD') return void response.end();
    const body = this.jsonArray(scope, source);
    const first = await body.next();
    try {
      await this.pipe(first.value ?? '', body, response);
    } finally {
      await body.return(undefined);
    }
  }

  private async *jsonArray(scope: CustomerScope, source: ElementSource): AsyncGenerator<string, void> {
    const snapshot = await this.database.snapshot();
    try {
      // The terms are read again, from the snapshot: an import may have changed discount and prices since the guard.
      const current = await this.scopes.find(scope.customerCode, snapshot.query);
      if (!current) throw customerNotFound();
      let separator = '[';
      for await (const batch of source.elements(snapshot, current)) {
        yield separator + batch.join(',');
        separator = ',';
      }
      yield separator === '[' ? '[]' : ']';
    } finally {
      await snapshot.close();
    }
  }

  /** Resolves when the answer is complete, cut, or left by its client. */
  private async pipe(first: string, rest: AsyncIterable<string>, response: Response): Promise<void> {
    const { DOWNLOAD_STALL_SECONDS: stall, DOWNLOAD_MAX_SECONDS: most } = this.settings;
    const cut = (reason: string) => this.cut(response, reason);
    response.setTimeout(stall * 1000, () => cut(`its client took nothing for ${stall} s`));
    const limit = setTimeout(() => cut(`it took longer than ${most} s`), most * 1000);
    // An answer that waits behind another on its connection is not told when that connection ends.
    const { socket } = response.req;
    const gone = new AbortController();
    const leave = () => gone.abort();
    socket.once('close', leave);
    if (socket.destroyed) leave();
    const chunks = async function* () {
      try {
        yield first;
        yield* rest;
      } catch (error) {
        if (!response.destroyed && !socket.destroyed) cut((error as Error).message);
        throw error;
      }
    };
    await pipeline(Readable.from(chunks(), { highWaterMark: 1 }), response, { signal: gone.signal })
      // Either it was cut, which is logged, or its client left.
      .catch(() => undefined)
      .finally(() => {
        clearTimeout(limit);
        socket.off('close', leave);
      });
  }

  /**
   * Resets the connection: an orderly end would pass for the end of the answer with a client of HTTP/1.0. An answer that
   * waits behind another on its connection has no socket of its own yet; its request has.
   */
  private cut(response: Response, reason: string): void {
    this.logger.error(`The answer to request ${requestIdOf(response.req)} was cut: ${reason}`);
    response.req.socket.resetAndDestroy();
  }
}
