import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SETTINGS, type Settings } from '../config/settings.js';
import type { Pieces } from './format.js';
import { type MemoryBudget, Recording } from './recording.js';

const MEGABYTE = 1024 * 1024;

/** The part of the bound that one body may take. */
const LARGEST_PART = 1 / 4;

/** How many ETags of bodies that are too large are remembered. */
const REMEMBERED = 1000;

/** A finished body. */
export interface KeptBody {
  readonly blocks: readonly Buffer[];
  readonly size: number;
  /** What `X-Last-SKU` names. */
  readonly lastSku: string | undefined;
}

/** A kept body, which counts against the bound until it is released. */
export interface KeptBodyUse {
  readonly body: KeptBody;
  release(): void;
}

/**
 * Keeps finished bodies under their strong ETag. Equal ETags mean equal bytes, so a body is never out of date: after a
 * change, requests have another ETag. Bodies that are being recorded, and bodies that were evicted while clients still
 * read them, count against the bound, too.
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
  private readonly kept?: LRUCache<string, KeptBody>;
  private readonly tooLarge = new LRUCache<string, true>({ max: REMEMBERED });
  private readonly recorded = new Set<string>();
  private readonly uses = new Map<KeptBody, number>();
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
        dispose: (body, _etag, reason) => {
          if (reason === 'evict') this.evictions++;
          if (!this.uses.has(body)) this.bytes -= body.size;
        },
      });
  }

  get limitBytes(): number {
    return this.bound;
  }

  /** Bytes in memory: kept, being recorded, or evicted and still being sent. */
  get heldBytes(): number {
    return this.bytes;
  }

  /** Finds the body of an ETag; the caller releases it. */
  find(etag: string): KeptBodyUse | undefined {
    const body = this.kept?.get(etag);
    if (!body) return undefined;
    this.uses.set(body, (this.uses.get(body) ?? 0) + 1);
    return { body, release: () => this.release(body, etag) };
  }

  /** Passes a body on and keeps it at its end, unless it is too large or another request records the same one. */
  async *record(body: Pieces, etag: string, lastSku: string | undefined): Pieces {
    if (!this.kept || this.recorded.has(etag) || this.kept.has(etag) || this.tooLarge.has(etag)) return yield* body;
    this.recorded.add(etag);
    const recording = new Recording(this.budget, this.largest);
    try {
      for await (const piece of body) {
        recording.add(Buffer.from(piece));
        yield piece;
      }
      const blocks = recording.finish();
      if (blocks) this.kept.set(etag, { blocks, size: sizeOf(blocks), lastSku });
      else if (recording.isTooLarge) this.tooLarge.set(etag, true);
    } finally {
      recording.discard();
      this.recorded.delete(etag);
    }
  }

  private release(body: KeptBody, etag: string): void {
    const left = this.uses.get(body)! - 1;
    if (left) return void this.uses.set(body, left);
    this.uses.delete(body);
    if (this.kept!.peek(etag) !== body) this.bytes -= body.size;
  }

  /** Evicts the bodies that were used least recently until so many bytes are free. @returns false if that is impossible */
  private makeRoom(bytes: number): boolean {
    while (this.bytes + bytes > this.bound && this.kept!.pop());
    if (this.bytes + bytes > this.bound) return false;
    this.bytes += bytes;
    return true;
  }
}

function sizeOf(blocks: readonly Buffer[]): number {
  return blocks.reduce((sum, { length }) => sum + length, 0);
}
