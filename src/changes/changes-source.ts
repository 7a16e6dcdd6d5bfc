import type { Request } from 'express';
import type { Snapshot } from '../database/engine.js';
import { type Content, type ContentState, isSameState, stateInTag, stateOf, tagOf } from '../download/content.js';
import type { Elements } from '../download/elements.js';
import { endingWith } from '../download/last-sku.js';
import { formOf, headersOf200 } from '../download/representation.js';
import {
  OlderReplica,
  type OpenedBody,
  type Reading,
  type Representation,
  type ResponseSource,
} from '../download/response-source.js';
import { knownTags, type ValidatorHeaders, validatorHeaders } from '../http/validator.js';
import type { CustomerScope } from '../scope/customer-scope.js';
import { ChangedSkus } from './changed-skus.js';
import { findBase, partsSeen } from './delta-base.js';
import { type Delta, DELTA_FORMATS, DELTA_FORMATS_IN_WORDS, type DeltaFormat } from './delta-formats.js';

/**
 * Returns what changed in the elements of an endpoint since a state that the client names by its `ETag`. Whenever the
 * change log does not lead from there to the present, it returns every element.
 */
export class ChangesSource implements ResponseSource {
  /** Bodies depend on the base, so few requests could share a cached body. */
  readonly isCacheable = false;
  readonly formats = DELTA_FORMATS;
  readonly formatsInWords = DELTA_FORMATS_IN_WORDS;

  constructor(
    private readonly content: Content,
    private readonly elements: Elements,
  ) {}

  /** The `ETag` is weak, because deltas from two bases lead to the same state although their bodies differ. */
  headers(scope: CustomerScope, representation: Representation): ValidatorHeaders {
    const tag = tagOf(stateOf(this.content, scope), ['changes', formOf(representation)]);
    return {
      'Content-Type': representation.format.contentType,
      ...validatorHeaders(`W/${tag}`, 'private, no-store'),
    };
  }

  /** If a client names several states, the service cannot know which of them the client applies a delta to. */
  isFresh(request: Request, scope: CustomerScope): boolean {
    const present = stateOf(this.content, scope);
    const states = statesKnownTo(request);
    return states.length > 0 && states.every((state) => state !== undefined && isSameState(state, present));
  }

  async open({ request, representation, snapshot, scope }: Reading): Promise<OpenedBody> {
    const format = this.formats.find((own) => own === representation.format)!;
    const headers = headersOf200(this.headers(scope, representation), this.content, scope, representation);
    const changes = await this.changesSince(statesKnownTo(request), snapshot, scope);
    const make = changes ? this.delta(changes, snapshot, scope, format) : await this.whole(snapshot, scope, format);
    return { headers, pieces: (confirm) => format.write({ etag: headers.ETag, ...make(confirm) }) };
  }

  /** @returns undefined if the log does not lead from each of the states to the snapshot, or too many SKUs changed */
  private async changesSince(
    known: readonly (ContentState | undefined)[],
    { query, isReplica }: Snapshot,
    scope: CustomerScope,
  ): Promise<ChangedSkus | undefined> {
    const present = stateOf(this.content, scope);
    // A state with other terms or another serialization has other elements.
    const states = known.filter((state) => state?.terms === present.terms).map((state) => state!);
    // A replica may lack the customer's latest terms.
    if (isReplica && states.length < known.filter(Boolean).length) throw new OlderReplica();
    if (!states.length || states.length < known.length) return undefined;
    const base = await findBase(query, partsSeen(this.content, scope.terms), present, states);
    if (base === 'unknown' && isReplica) throw new OlderReplica();
    return base === 'unknown' || base === 'not covered' ? undefined : ChangedSkus.since(base, query);
  }

  private delta(changes: ChangedSkus, snapshot: Snapshot, { terms }: CustomerScope, { separator }: DeltaFormat) {
    const { elements } = this;
    async function* changed() {
      for (const selection of changes.selections) yield* elements.elements(snapshot, terms, separator, selection);
    }
    async function* gone(confirm: () => Promise<void>) {
      for (const skus of changes.left()) {
        const present = await elements.skus(snapshot, terms, skus);
        const absent = skus.filter((sku) => !present.has(sku));
        const seen = await changes.seenBefore(absent, terms, snapshot.query);
        if (seen.length) yield seen;
      }
      await confirm();
    }
    return (confirm: () => Promise<void>): Body => ({ complete: false, changed: changed(), gone: gone(confirm) });
  }

  private async whole(snapshot: Snapshot, { terms }: CustomerScope, { separator }: DeltaFormat) {
    const lastSku = await this.elements.lastSku(snapshot, terms);
    return (confirm: () => Promise<void>): Body => {
      const batches = this.elements.elements(snapshot, terms, separator);
      return { complete: true, changed: endingWith(lastSku, batches, confirm), gone: none() };
    };
  }
}

type Body = Omit<Delta, 'etag'>;

async function* none(): AsyncGenerator<never> {}

/**
 * Returns the state that each tag in the request names, undefined for a tag that names none. A forged tag is useless,
 * because the token decides what the customer sees.
 */
function statesKnownTo(request: Request): (ContentState | undefined)[] {
  return knownTags(request).map(stateInTag);
}
