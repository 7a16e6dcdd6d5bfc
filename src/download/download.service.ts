import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Response } from 'express';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { SETTINGS, type Settings } from '../config/settings.js';
import type { CustomerScope } from '../customers/customer-scope.js';
import { CustomerScopeService } from '../customers/customer-scope.service.js';
import { type Snapshot, SnapshotService } from '../database/snapshot.service.js';
import { customerNotFound } from '../http/api-error.js';
import { requestIdOf } from '../http/request-id.middleware.js';

const CLIENT_LEFT = 'ERR_STREAM_PREMATURE_CLOSE';

/** Yields the elements of an answer, each as JSON, in batches. */
export type Elements = (snapshot: Snapshot, scope: CustomerScope) => AsyncIterable<string[]>;

/** Answers with a JSON array of any length, read from one snapshot at the pace of the client. */
@Injectable()
export class DownloadService {
  private readonly logger = new Logger(DownloadService.name);

  constructor(
    private readonly snapshots: SnapshotService,
    private readonly scopes: CustomerScopeService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Sends the array. An error before the first byte is thrown, to be answered as such; a later one cuts the connection,
   * so that nobody takes a part for the whole. The snapshot ends with the answer, however that ends.
   */
  async send(response: Response, scope: CustomerScope, elements: Elements): Promise<void> {
    response.type('application/json');
    if (response.req.method === 'HEAD') return void response.end();
    const body = this.jsonArray(scope, elements);
    const first = await body.next();
    try {
      await this.pipe(first.value ?? '', body, response);
    } catch (error) {
      this.cut(response, error as Error);
    } finally {
      await body.return(undefined);
    }
  }

  private async *jsonArray(scope: CustomerScope, elements: Elements): AsyncGenerator<string, void> {
    const snapshot = await this.snapshots.open();
    try {
      // The terms are read again, from the snapshot: an import may have changed discount and prices since the guard.
      const current = await this.scopes.find(scope.customerCode, snapshot.query);
      if (!current) throw customerNotFound();
      let separator = '[';
      for await (const batch of elements(snapshot, current)) {
        yield separator + batch.join(',');
        separator = ',';
      }
      yield separator === '[' ? '[]' : ']';
    } finally {
      await snapshot.close();
    }
  }

  private async pipe(first: string, rest: AsyncIterable<string>, response: Response): Promise<void> {
    const { DOWNLOAD_STALL_SECONDS, DOWNLOAD_MAX_SECONDS } = this.settings;
    response.setTimeout(DOWNLOAD_STALL_SECONDS * 1000, () => response.destroy(new Error('The client takes no bytes')));
    const signal = AbortSignal.timeout(DOWNLOAD_MAX_SECONDS * 1000);
    const chunks = async function* () {
      yield first;
      yield* rest;
    };
    await pipeline(Readable.from(chunks(), { objectMode: true, highWaterMark: 1 }), response, { signal });
  }

  private cut(response: Response, error: NodeJS.ErrnoException): void {
    const report = `An answer was cut: ${error.message} (request ${requestIdOf(response.req)})`;
    if (error.code === CLIENT_LEFT) this.logger.debug(report);
    else this.logger.error(report);
    // A reset, not an orderly end: a client of HTTP/1.0 has no other way to tell a part from the whole.
    response.socket?.resetAndDestroy();
  }
}
