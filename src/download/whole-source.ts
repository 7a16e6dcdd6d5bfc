import type { Request } from 'express';
import { isFresh, type ValidatorHeaders, validatorHeaders } from '../http/validator.js';
import type { CustomerScope } from '../scope/customer-scope.js';
import { type Content, stateOf, tagOf } from './content.js';
import { csv } from './csv-format.js';
import type { Elements } from './elements.js';
import { jsonArray, jsonLines } from './json-formats.js';
import { endingWith, LAST_SKU } from './last-sku.js';
import { formOf, headersOf200 } from './representation.js';
import type { OpenedBody, Reading, Representation, ResponseSource } from './response-source.js';

/** The first is the default. The first `text/csv` is the default for `text/csv` without parameters. */
const FORMATS = [
  jsonArray,
  jsonLines,
  csv(),
  csv({ bom: '1' }),
  csv({ delimiter: 'semicolon' }),
  csv({ delimiter: 'semicolon', bom: '1' }),
  csv({ delimiter: 'semicolon', decimal: 'comma' }),
  csv({ delimiter: 'semicolon', decimal: 'comma', bom: '1' }),
] as const;

export const FORMATS_IN_WORDS =
  'application/json, application/x-ndjson, or text/csv, which may have bom=1, delimiter=semicolon, or delimiter=semicolon;decimal=comma';

/** The source of a response with every element that the customer sees. */
export class WholeSource implements ResponseSource {
  readonly formats = FORMATS;
  readonly formatsInWords = FORMATS_IN_WORDS;

  /** @param keys the keys of each element, in order */
  constructor(
    private readonly content: Content,
    private readonly elements: Elements,
    private readonly keys: readonly string[],
    readonly isCacheable: boolean,
  ) {}

  /** The `ETag` identifies everything that determines the bytes of the body. */
  headers(scope: CustomerScope, representation: Representation): ValidatorHeaders {
    const tag = tagOf(stateOf(this.content, scope), formOf(representation));
    return { 'Content-Type': representation.format.contentType, ...validatorHeaders(tag) };
  }

  isFresh(request: Request, _scope: CustomerScope, { ETag }: ValidatorHeaders): boolean {
    return isFresh(request, ETag);
  }

  async open({ representation, snapshot, scope }: Reading): Promise<OpenedBody> {
    const format = this.formats.find((own) => own === representation.format)!;
    const { terms } = scope;
    const lastSku = await this.elements.lastSku(snapshot, terms);
    const headers = headersOf200(this.headers(scope, representation), this.content, scope, representation);
    if (lastSku !== undefined) headers[LAST_SKU] = encodeURIComponent(lastSku);
    const batches = () => this.elements.elements(snapshot, terms, format.separator);
    return { headers, pieces: (confirm) => format.write(endingWith(lastSku, batches(), confirm), this.keys) };
  }
}
