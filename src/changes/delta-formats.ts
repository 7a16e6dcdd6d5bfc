import type { ElementBatches, Pieces } from '../download/format.js';
import type { BodyFormat } from '../download/response-source.js';

/** The changes that a client applies to its stored elements. */
export interface Delta {
  /** The tag of this response, for `If-None-Match` of the next request. */
  readonly etag: string;
  /** Whether `changed` contains every element and replaces the stored elements of the client. */
  readonly complete: boolean;
  /** The changed elements, each after the separator of the format. */
  readonly changed: ElementBatches;
  /** The SKUs of removed elements, in batches. */
  readonly gone: AsyncIterable<readonly string[]>;
}

/** Converts a delta to a body. */
export interface DeltaFormat extends BodyFormat {
  /** One byte. */
  readonly separator: string;
  write(delta: Delta): Pieces;
}

const deltaJson: DeltaFormat = {
  type: 'application/json',
  contentType: 'application/json; charset=utf-8',
  separator: ',',
  async *write({ etag, complete, changed, gone }) {
    // An error in the first batch can still become an error response, so nothing is sent before that batch.
    let before = `{"ETag":${JSON.stringify(etag)},"Complete":${complete},"Changed":[`;
    for await (const batch of changed) {
      yield before ? Buffer.concat([Buffer.from(before), Buffer.from(batch).subarray(1)]) : batch;
      before = '';
    }
    before += '],"Gone":[';
    for await (const skus of gone) {
      yield before + skus.map((sku) => JSON.stringify(sku)).join();
      before = ',';
    }
    yield before === ',' ? ']}' : `${before}]}`;
  },
};

const deltaLines: DeltaFormat = {
  type: 'application/x-ndjson',
  parameters: { charset: 'utf-8' },
  contentType: 'application/x-ndjson; charset=utf-8',
  separator: '\n',
  async *write({ etag, complete, changed, gone }) {
    let before = `${JSON.stringify({ ETag: etag, Complete: complete })}\n`;
    // The JSON contains no line feed, because JSON escapes line feeds in texts.
    for await (const batch of changed) {
      yield `${before}${batch.toString().replaceAll('\n', '}\n{"Changed":').slice(2)}}\n`;
      before = '';
    }
    for await (const skus of gone) {
      yield before + skus.map((Gone) => `${JSON.stringify({ Gone })}\n`).join('');
      before = '';
    }
    yield `${before}{"End":true}\n`;
  },
};

/** The default first. */
export const DELTA_FORMATS: readonly DeltaFormat[] = [deltaJson, deltaLines];
export const DELTA_FORMATS_IN_WORDS = 'application/json, application/x-ndjson';
