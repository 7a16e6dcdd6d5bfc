import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SETTINGS, type Settings } from '../config/settings.js';
import type { ValidatorHeaders } from '../http/validator.js';
import type { Pieces } from './format.js';
import { type MemoryBudget, Recording } from './recording.js';

const MEGABYTE = 1024 * 1024;

/** The part of the bound that one body may take. */
const LARGEST_PART = 1 / 4;

/** How many ETags of bodies that are too large are remembered. */
const REMEMBERED = 1000;

/** A finished body. */
export interface CachedBody {
  readonly blocks: readonly Buffer[];
  readonly size: number;
  /** All headers of its 200, but for the length. */
  readonly headers: ValidatorHeaders;
}

/** A cached body. It is not evicted before it is released. */
export interface CachedBodyUse {
  readonly body: CachedBody;
  release(): void;
}

/**
 * Keeps finished bodies under their strong ETag. Equal ETags mean equal bytes, so a body is never out of date: after a
 * change, requests have another ETag. Bodies that are being recorded, and bodies that clients still read, count against the bound.
 */
@Injectable()
export class ResponseCache {
  /** Requests that found their body, and requests that did not. */
  hits = 0;
  misses = 0;
  evictions = 0;
  private readonly bound: number;
  private readonly largest: number;
  private bytes = 0;
  private readonly kept?: LRUCache<string, CachedBody>;
  private readonly tooLarge = new LRUCache<string, true>({ max: REMEMBERED });
  private readonly recorded = new Map<string, Recording>();
  private readonly uses = new Map<CachedBody, number>();
  private readonly budget: MemoryBudget = {
    take: (bytes) => this.makeRoom(bytes),
    give: (bytes) => void (this.bytes -= bytes),
  };

  constructor(@Inject(SETTINGS) { RESPONSE_CACHE_MEGABYTES: megabytes }: Settings) {
    this.bound = megabytes * MEGABYTE;
    this.largest = this.bound * LARGEST_PART;
    if (megabytes)
      this.kept = new LRUCache({
        maxSize: this.bound,
        sizeCalculation: ({ size }) => size,
        dispose: ({ size }) => (this.bytes -= size),
      });
  }

  get limitBytes(): number {
    return this.bound;
  }

  /** Bytes of bodies that are cached or being recorded. */
  get heldBytes(): number {
    return this.bytes;
  }

  /** Finds the body of an ETag; the caller releases it. */
  find(etag: string): CachedBodyUse | undefined {
    const body = this.kept?.get(etag);
    if (!body) return undefined;
    this.uses.set(body, (this.uses.get(body) ?? 0) + 1);
    return { body, release: () => this.release(body) };
  }

  /**
   * Passes a body on and keeps it at its end, unless it is too large or another request records the same one.
   * @param headers of a 200 with this body
   * @param heldUp aborts when a client holds up the body: the next request may record it then
   */
  async *record(body: Pieces, headers: ValidatorHeaders, heldUp: AbortSignal): Pieces {
    if (!this.kept) return yield* body;
    const { ETag: etag } = headers;
    this.misses++;
    if (this.recorded.has(etag) || this.kept.has(etag) || this.tooLarge.has(etag)) return yield* body;
    const recording = new Recording(this.budget, this.largest);
    this.recorded.set(etag, recording);
    const end = () => {
      if (this.recorded.get(etag) === recording) this.recorded.delete(etag);
      recording.discard();
    };
    heldUp.addEventListener('abort', end);
    try {
      for await (const piece of body) {
        recording.add(typeof piece === 'string' ? Buffer.from(piece) : piece);
        yield piece;
      }
      const blocks = recording.finish();
      if (blocks) {
        this.kept.set(etag, { blocks, size: sizeOf(blocks), headers });
      } else if (recording.isTooLarge) this.tooLarge.set(etag, true);
    } finally {
      end();
    }
  }

  private release(body: CachedBody): void {
    const left = this.uses.get(body)! - 1;
    if (left) this.uses.set(body, left);
    else this.uses.delete(body);
  }

  /** Makes room for a block. @returns false if bodies that clients still read leave too little */
  private makeRoom(bytes: number): boolean {
    const missing = this.bytes + bytes - this.bound;
    if (missing > 0 && !this.evict(missing)) return false;
    this.bytes += bytes;
    return true;
  }

  /** Evicts the bodies that were used least recently, but none that a client reads: that would free nothing. */
  private evict(missing: number): boolean {
    const etags: string[] = [];
    let freed = 0;
    for (const etag of this.kept!.rkeys()) {
      const body = this.kept!.peek(etag)!;
      if (this.uses.has(body)) continue;
      etags.push(etag);
      freed += body.size;
      if (freed >= missing) break;
    }
    if (freed < missing) return false;
    for (const etag of etags) this.kept!.delete(etag);
    this.evictions += etags.length;
    return true;
  }
}

function sizeOf(blocks: readonly Buffer[]): number {
  return blocks.reduce((sum, { length }) => sum + length, 0);
}
