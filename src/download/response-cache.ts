import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SETTINGS, type Settings } from '../config/settings.js';
import type { ValidatorHeaders } from '../http/validator.js';
import type { Pieces } from './format.js';
import { type MemoryBudget, Recording } from './recording.js';

const MEGABYTE = 1024 * 1024;

/** The largest share of the limit that one body may use. */
const LARGEST_PART = 1 / 4;

/** The number of ETags that are remembered because their bodies are too large. */
const REMEMBERED = 1000;

/** A finished body. */
export interface CachedBody {
  readonly blocks: readonly Buffer[];
  readonly size: number;
  /** All headers of its 200 except `Content-Length`. */
  readonly headers: ValidatorHeaders;
}

/** A cached body that a client reads. It is not evicted before its release. */
export interface CachedBodyUse {
  readonly body: CachedBody;
  release(): void;
}

/**
 * Caches finished bodies by their strong ETag. Equal ETags mean equal bytes, so a cached body is never out of date:
 * after a change, requests have another ETag. Bodies that are being recorded and bodies that clients still read count
 * towards the limit.
 */
@Injectable()
export class ResponseCache {
  /** Number of requests whose body was cached. */
  hits = 0;
  /** Number of requests whose body was not cached. */
  misses = 0;
  evictions = 0;
  private readonly bound: number;
  private readonly largest: number;
  private bytes = 0;
  private readonly cached?: LRUCache<string, CachedBody>;
  private readonly tooLarge = new LRUCache<string, true>({ max: REMEMBERED });
  private readonly recordings = new Map<string, Recording>();
  private readonly uses = new Map<CachedBody, number>();
  private readonly budget: MemoryBudget = {
    take: (bytes) => this.makeRoom(bytes),
    give: (bytes) => void (this.bytes -= bytes),
  };

  constructor(@Inject(SETTINGS) { RESPONSE_CACHE_MEGABYTES: megabytes }: Settings) {
    this.bound = megabytes * MEGABYTE;
    this.largest = this.bound * LARGEST_PART;
    if (megabytes)
      this.cached = new LRUCache({
        maxSize: this.bound,
        sizeCalculation: ({ size }) => size,
        dispose: ({ size }) => (this.bytes -= size),
      });
  }

  get limitBytes(): number {
    return this.bound;
  }

  /** Size in bytes of all bodies that are cached or being recorded. */
  get heldBytes(): number {
    return this.bytes;
  }

  /** Finds the cached body of an ETag. The caller must release it. */
  find(etag: string): CachedBodyUse | undefined {
    const body = this.cached?.get(etag);
    if (!body) return undefined;
    this.uses.set(body, (this.uses.get(body) ?? 0) + 1);
    return { body, release: () => this.release(body) };
  }

  /**
   * Yields a body and caches it at its end, unless it is too large or another request already records it.
   * @param headers of a 200 with this body
   * @param heldUp aborts when a client holds up the body; the recording is then dropped, and the next request may
   * record it
   */
  async *record(body: Pieces, headers: ValidatorHeaders, heldUp: AbortSignal): Pieces {
    if (!this.cached) return yield* body;
    const { ETag: etag } = headers;
    this.misses++;
    if (this.recordings.has(etag) || this.cached.has(etag) || this.tooLarge.has(etag)) return yield* body;
    const recording = new Recording(this.budget, this.largest);
    this.recordings.set(etag, recording);
    const end = () => {
      if (this.recordings.get(etag) === recording) this.recordings.delete(etag);
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
        this.cached.set(etag, { blocks, size: sizeOf(blocks), headers });
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

  /**
   * Makes room for a block.
   * @returns false if the bodies that clients still read leave too little
   */
  private makeRoom(bytes: number): boolean {
    const missing = this.bytes + bytes - this.bound;
    if (missing > 0 && !this.evict(missing)) return false;
    this.bytes += bytes;
    return true;
  }

  /** Evicts the least recently used bodies. Bodies that clients read stay, because evicting them would free nothing. */
  private evict(missing: number): boolean {
    const etags: string[] = [];
    let freed = 0;
    for (const etag of this.cached!.rkeys()) {
      const body = this.cached!.peek(etag)!;
      if (this.uses.has(body)) continue;
      etags.push(etag);
      freed += body.size;
      if (freed >= missing) break;
    }
    if (freed < missing) return false;
    for (const etag of etags) this.cached!.delete(etag);
    this.evictions += etags.length;
    return true;
  }
}

function sizeOf(blocks: readonly Buffer[]): number {
  return blocks.reduce((sum, { length }) => sum + length, 0);
}
