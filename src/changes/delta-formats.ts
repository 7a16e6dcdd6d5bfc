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
    yield `{"ETag":${JSON.stringify(etag)},"Complete":${complete},"Changed":[`;
    let isFirst = true;
    for await (const batch of changed) {
      yield isFirst ? Buffer.from(batch).subarray(1) : batch;
      isFirst = false;
    }
    yield '],"Gone":[';
    isFirst = true;
    for await (const skus of gone) {
      const texts = skus.map((sku) => JSON.stringify(sku));
      yield isFirst ? texts.join() : `,${texts.join()}`;
      isFirst = false;
    }
    yield ']}';
  },
};

const deltaLines: DeltaFormat = {
  type: 'application/x-ndjson',
  parameters: { charset: 'utf-8' },
  contentType: 'application/x-ndjson; charset=utf-8',
  separator: '\n',
  async *write({ etag, complete, changed, gone }) {
    yield `${JSON.stringify({ ETag: etag, Complete: complete })}\n`;
    // The JSON contains no line feed, because JSON escapes line feeds in texts.
    for await (const batch of changed) yield `${batch.toString().replaceAll('\n', '}\n{"Changed":').slice(2)}}\n`;
    for await (const skus of gone) yield skus.map((Gone) => `${JSON.stringify({ Gone })}\n`).join('');
    yield '{"End":true}\n';
  },
};

/** The default first. */
export const DELTA_FORMATS: readonly DeltaFormat[] = [deltaJson, deltaLines];
export const DELTA_FORMATS_IN_WORDS = 'application/json, application/x-ndjson';
