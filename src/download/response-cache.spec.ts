import { createHash } from 'node:crypto';
import { SeededRandom } from '../../test/support/seeded-random.js';
import type { Settings } from '../config/settings.js';
import { validatorHeaders } from '../http/validator.js';
import type { Pieces } from './format.js';
import { type CachedBodyUse, ResponseCache } from './response-cache.js';

const MEGABYTE = 1024 * 1024;
const BLOCK = 256 * 1024;

const headersOf = (etag: string) => ({ ...validatorHeaders(etag), 'X-Last-SKU': `last of ${etag}` });
const never = new AbortController().signal;
const cacheOf = (megabytes: number) => new ResponseCache({ RESPONSE_CACHE_MEGABYTES: megabytes } as Settings);

/** A different body for each name. */
function bytesOf(name: string, size: number): Buffer {
  const seed = createHash('sha256').update(name).digest();
  return Buffer.alloc(size, seed);
}

async function* piecesOf(bytes: Buffer, length = 100_000): Pieces {
  for (let start = 0; start < bytes.length; start += length) yield bytes.subarray(start, start + length);
}

/**
 * Sends a body through the cache.
 * @returns the bytes that the client receives
 */
async function send(cache: ResponseCache, etag: string, body: Pieces): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of cache.record(body, headersOf(etag), never)) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

/** Reads a cached body and releases it at once. */
function peek(cache: ResponseCache, etag: string): Buffer | undefined {
  const use = cache.find(etag);
  use?.release();
  return use && Buffer.concat(use.body.blocks);
}

test('caches a finished body byte by byte, with its headers', async () => {
  const cache = cacheOf(8);
  const bytes = bytesOf('a', 1_234_567);
  expect(cache.find('a')).toBeUndefined();
  expect((await send(cache, 'a', piecesOf(bytes))).equals(bytes)).toBe(true);
  const use = cache.find('a')!;
  expect(Buffer.concat(use.body.blocks).equals(bytes)).toBe(true);
  expect(use.body).toMatchObject({ size: bytes.length, headers: headersOf('a') });
  expect(cache.heldBytes).toBe(bytes.length);
});

test('copies the pieces into blocks of its own', async () => {
  const cache = cacheOf(8);
  const bytes = bytesOf('a', 300_000);
  await send(cache, 'a', piecesOf(bytes));
  const before = Buffer.from(bytes);
  bytes.fill(0);
  expect(peek(cache, 'a')!.equals(before)).toBe(true);
});

test.each([
  ['of texts', ['[{"a":"é"}', ',{"a":"😀"}', ']']],
  ['of one piece', ['[]']],
])('caches a body %s', async (_what, pieces) => {
  const cache = cacheOf(1);
  const body = async function* (): Pieces {
    yield* pieces;
  };
  await send(cache, 'a', body());
  expect(peek(cache, 'a')!.toString()).toBe(pieces.join(''));
});

test('does not cache an empty body', async () => {
  const cache = cacheOf(1);
  await send(cache, 'a', piecesOf(Buffer.alloc(0)));
  expect([peek(cache, 'a'), cache.heldBytes]).toEqual([undefined, 0]);
});

test('does not cache a body that fails or is aborted', async () => {
  const cache = cacheOf(8);
  const failing = async function* (): Pieces {
    yield* piecesOf(bytesOf('a', 500_000));
    throw new Error('broken');
  };
  await expect(send(cache, 'a', failing())).rejects.toThrow('broken');
  for await (const _ of cache.record(piecesOf(bytesOf('a', 500_000)), headersOf('a'), never)) break;
  expect([peek(cache, 'a'), cache.heldBytes]).toEqual([undefined, 0]);
  await send(cache, 'a', piecesOf(bytesOf('a', 500_000)));
  expect(peek(cache, 'a')).toBeDefined();
});

test('neither caches a body of more than a quarter of the limit nor evicts other bodies for it', async () => {
  const cache = cacheOf(4);
  await send(cache, 'small', piecesOf(bytesOf('small', MEGABYTE)));
  for (let round = 0; round < 3; round++) await send(cache, 'large', piecesOf(bytesOf('large', MEGABYTE + 1)));
  expect([peek(cache, 'large'), cache.evictions]).toEqual([undefined, 0]);
  expect(peek(cache, 'small')).toBeDefined();
  expect(cache.heldBytes).toBe(MEGABYTE);
});

test('evicts the least recently used body', async () => {
  const cache = cacheOf(4);
  for (const name of ['a', 'b', 'c', 'd']) await send(cache, name, piecesOf(bytesOf(name, MEGABYTE - 1)));
  peek(cache, 'a');
  await send(cache, 'e', piecesOf(bytesOf('e', BLOCK)));
  expect(['a', 'b', 'c', 'd', 'e'].filter((name) => peek(cache, name))).toEqual(['a', 'c', 'd', 'e']);
  expect(cache.evictions).toBe(1);
});

test('evicts neither a body that a client is reading nor, if too little would become free, any other body', async () => {
  const cache = cacheOf(1);
  const size = MEGABYTE / 4;
  for (const name of ['a', 'b', 'c', 'd']) await send(cache, name, piecesOf(bytesOf(name, size)));
  const uses = ['a', 'b', 'c', 'd', 'd'].map((name) => cache.find(name)!);
  await send(cache, 'e', piecesOf(bytesOf('e', size)));
  expect([peek(cache, 'e'), cache.heldBytes, cache.evictions]).toEqual([undefined, MEGABYTE, 0]);
  for (const { release } of uses.slice(3)) release();
  await send(cache, 'e', piecesOf(bytesOf('e', size)));
  expect(['a', 'b', 'c', 'd', 'e'].filter((name) => peek(cache, name))).toEqual(['a', 'b', 'c', 'e']);
  expect([cache.heldBytes, cache.evictions]).toEqual([MEGABYTE, 1]);
});

test('drops a recording that its client holds up, so that the next request can record', async () => {
  const cache = cacheOf(8);
  const bytes = bytesOf('a', MEGABYTE);
  const heldUp = new AbortController();
  const slow = cache.record(piecesOf(bytes), headersOf('a'), heldUp.signal);
  await slow.next();
  heldUp.abort();
  expect(cache.heldBytes).toBe(0);
  await send(cache, 'a', piecesOf(bytes));
  expect(peek(cache, 'a')!.equals(bytes)).toBe(true);
  for await (const _ of slow);
  expect(cache.heldBytes).toBe(MEGABYTE);
});

test('lets one of several simultaneous requests record a body, and sends it to all', async () => {
  const cache = cacheOf(8);
  const bytes = bytesOf('a', MEGABYTE);
  const sent = await Promise.all([1, 2, 3].map(() => send(cache, 'a', piecesOf(bytes))));
  for (const one of sent) expect(one.equals(bytes)).toBe(true);
  expect(cache.heldBytes).toBe(MEGABYTE);
});

test('caches nothing with a limit of 0', async () => {
  const cache = cacheOf(0);
  await send(cache, 'a', piecesOf(bytesOf('a', 1000)));
  expect([peek(cache, 'a'), cache.heldBytes]).toEqual([undefined, 0]);
});

test('never exceeds the limit and always returns the correct bytes, for random requests', async () => {
  const random = new SeededRandom(15);
  const cache = cacheOf(2);
  const names = Array.from({ length: 30 }, (_, index) => `tag-${index}`);
  const sizes = new Map(names.map((name) => [name, random.of([1, 1000, BLOCK, BLOCK + 1, 400_000, 524_288, 600_000])]));
  const uses: [string, CachedBodyUse][] = [];
  const recordings: [Pieces, string][] = [];
  const expectedBytes = (name: string) => bytesOf(name, sizes.get(name)!);
  let [found, wrong] = [0, 0];
  for (let step = 0; step < 3000; step++) {
    const name = random.of(names);
    const action = random.of(['find', 'record', 'advance', 'advance', 'advance', 'release', 'leave']);
    if (action === 'find') {
      const use = cache.find(name);
      if (use) uses.push([name, use]);
    } else if (action === 'record') {
      recordings.push([cache.record(piecesOf(expectedBytes(name)), headersOf(name), never), name]);
    } else if (action === 'advance' && recordings.length) {
      const [recording] = random.of(recordings);
      const { done } = await recording.next();
      if (done)
        recordings.splice(
          recordings.findIndex(([one]) => one === recording),
          1,
        );
    } else if (action === 'release' && uses.length) {
      const [[of, { body, release }]] = uses.splice(random.of([...uses.keys()]), 1) as [[string, CachedBodyUse]];
      wrong += Number(body.headers.ETag !== of || !Buffer.concat(body.blocks).equals(expectedBytes(of)));
      found++;
      release();
    } else if (action === 'leave' && recordings.length) {
      const [[recording]] = recordings.splice(random.of([...recordings.keys()]), 1) as [[Pieces, string]];
      await recording.return(undefined);
    }
    expect(cache.heldBytes).toBeLessThanOrEqual(2 * MEGABYTE);
    expect(cache.heldBytes).toBeGreaterThanOrEqual(0);
  }
  expect([found > 50, wrong]).toEqual([true, 0]);
  for (const [, { release }] of uses) release();
  for (const [recording] of recordings) await recording.return(undefined);
  const cached = names.map((name) => peek(cache, name)?.length ?? 0).reduce((sum, size) => sum + size, 0);
  expect(cache.heldBytes).toBe(cached);
  expect(cached).toBeGreaterThan(0);
  expect(cache.evictions).toBeGreaterThan(10);
});
