import { Logger } from '@nestjs/common';
import type { Response } from 'express';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type FileHandle, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../test/support/until.js';
import type { Settings } from '../config/settings.js';
import { Delivery } from './delivery.js';
import { ReadingOrder } from './reading-order.js';
import { SpoolFile } from './spool-file.js';
import { SpoolSpace } from './spool-space.js';

/** Random bytes, so that the tests detect a misplaced piece. */
const PIECES = Array.from({ length: 64 }, () => randomBytes(300_000));
const SIZE = PIECES.reduce((sum, { length }) => sum + length, 0);

let folder: string;
let order: ReadingOrder;
const servers: Server[] = [];
beforeAll(() => Logger.overrideLogger(false));
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'customer-data-delivery-'));
  order = new ReadingOrder();
});
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
  await rm(folder, { recursive: true });
});

const spaceOf = (settings: Partial<Settings> = {}) =>
  new SpoolSpace({
    SPOOL_FOLDER: folder,
    SPOOL_MEGABYTES: 100,
    SPOOL_CUSTOMER_PERCENT: 100,
    ...settings,
  } as Settings);

/** The progress of a delivery. */
interface State {
  taken: number;
  isRead: boolean;
  heldUp: number;
  ended?: 'complete' | Error;
}

/**
 * Delivers the pieces to one client.
 * @returns the client, which reads nothing yet
 */
async function deliver(space: SpoolSpace, pieces: AsyncIterable<Buffer> | Iterable<Buffer> = PIECES) {
  const state: State = { taken: 0, isRead: false, heldUp: 0 };
  // A database needs time for each batch, too.
  const source = async function* () {
    for await (const piece of pieces) {
      await sleep(1);
      yield piece;
      state.taken++;
    }
  };
  const server = createServer(async (_request, response) => {
    const delivery = new Delivery(response as Response, {
      order,
      openSpool: () => SpoolFile.open(space, 'C'),
      heldUp: async (waiting) => {
        state.heldUp++;
        return waiting.finally(() => state.heldUp--);
      },
    });
    try {
      await delivery.take(source());
      state.isRead = true;
      await delivery.finish();
      state.ended = 'complete';
    } catch (error) {
      state.ended = error as Error;
      response.destroy();
    } finally {
      await delivery.close();
    }
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  socket.on('error', () => undefined);
  // HTTP/1.0 has no chunks: the body is everything after the head.
  socket.write('GET / HTTP/1.0\r\n\r\n');
  return { state, socket };
}

/**
 * Reads until the end.
 * @returns the body
 */
async function readAll(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  return bytes.subarray(bytes.indexOf('\r\n\r\n') + 4);
}

const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const WHOLE = digest(Buffer.concat(PIECES));

test('a client that reads nothing does not hold up the source and later receives every byte', async () => {
  const space = spaceOf();
  const { state, socket } = await deliver(space);
  await until('the source was read', () => state.isRead);
  expect(space.reservedBytes).toBeGreaterThan(SIZE / 4);
  // The file has no name, so the operating system removes it with the process.
  expect(await readdir(folder)).toEqual([]);
  expect(digest(await readAll(socket))).toBe(WHOLE);
  await until('the end', () => state.ended === 'complete');
  expect(space.reservedBytes).toBe(0);
});

describe('while another client waits for a piece', () => {
  let end!: () => void;
  beforeEach(() => void order.readNow(() => new Promise<void>((resolve) => (end = resolve))));
  afterEach(() => end());

  test('a spooled response is read ahead slowly, and at full speed as soon as its own client reads', async () => {
    const { state, socket } = await deliver(spaceOf());
    await sleep(1000);
    expect(state.taken).toBeLessThan(PIECES.length / 2);
    const start = performance.now();
    expect(digest(await readAll(socket))).toBe(WHOLE);
    expect(performance.now() - start).toBeLessThan(5000);
  });

  test('a spooled response whose client disconnects ends at once, and frees its space', async () => {
    const space = spaceOf();
    const { state, socket } = await deliver(space);
    await until('the spool is in use', () => space.reservedBytes > 0);
    socket.destroy();
    await until('the end', () => state.ended);
    expect(space.reservedBytes).toBe(0);
    expect(state.taken).toBeLessThan(PIECES.length / 2);
  });
});

test('a response without a spool makes spooled ones wait while it reads', async () => {
  let open!: () => void;
  const gated = async function* () {
    await new Promise<void>((resolve) => (open = resolve));
    yield* PIECES;
  };
  const direct = await deliver(spaceOf(), gated());
  const spooled = await deliver(spaceOf());
  await sleep(1000);
  expect(spooled.state.taken).toBeLessThan(PIECES.length / 2);
  open();
  expect(digest(await readAll(direct.socket))).toBe(WHOLE);
});

test('a client that keeps up needs no file', async () => {
  const space = spaceOf();
  const opened = jest.spyOn(space, 'open');
  const { state, socket } = await deliver(space);
  expect(digest(await readAll(socket))).toBe(WHOLE);
  await until('the end', () => state.ended === 'complete');
  expect(opened).not.toHaveBeenCalled();
});

test('a client reads the file while the source still writes it', async () => {
  const gate = new AbortController();
  const { state, socket } = await deliver(
    spaceOf(),
    (async function* () {
      yield* PIECES.slice(0, -1);
      await once(gate.signal, 'abort');
      yield PIECES.at(-1)!;
    })(),
  );
  await until('all pieces but one were read', () => state.taken === PIECES.length - 1);
  let bytes = 0;
  socket.on('data', ({ length }) => (bytes += length)).resume();
  await until('the client has these pieces', () => bytes > SIZE - 300_000);
  gate.abort();
  await once(socket, 'end');
  expect(bytes).toBeGreaterThan(SIZE);
});

test.each([
  ['no budget', { SPOOL_MEGABYTES: 0 }],
  ['a folder that does not exist', { SPOOL_FOLDER: '/nowhere' }],
  ['a folder that cannot be written', { SPOOL_FOLDER: '/proc' }],
  ['less space than the body needs', { SPOOL_MEGABYTES: 2 }],
  ['a smaller share than the body needs', { SPOOL_CUSTOMER_PERCENT: 2 }],
])('with %s, the source waits for the client, which receives every byte', async (_what, settings) => {
  const space = spaceOf(settings);
  const { state, socket } = await deliver(space);
  await until('the source waits', () => state.heldUp === 1);
  await sleep(200);
  expect(state.isRead).toBe(false);
  expect(digest(await readAll(socket))).toBe(WHOLE);
  await until('the end', () => state.ended === 'complete');
  expect([state.heldUp, space.reservedBytes]).toEqual([0, 0]);
});

test.each([
  ['spools', {}],
  ['is held up', { SPOOL_MEGABYTES: 0 }],
  ['is held up with a full file', { SPOOL_MEGABYTES: 2 }],
])('a client that disconnects while the source %s releases its space', async (_what, settings) => {
  const space = spaceOf(settings);
  const { state, socket } = await deliver(space);
  await until('the client is behind', () => state.isRead || state.heldUp === 1);
  socket.resetAndDestroy();
  await until('the end', () => state.ended !== undefined);
  expect([space.reservedBytes, state.heldUp]).toEqual([0, 0]);
});

/**
 * Makes a method of the next opened file fail.
 * @param after the number of calls that still work
 */
function breakFile(space: SpoolSpace, method: 'read' | 'write', after: number, result: () => Promise<object>) {
  const opened = space.open.bind(space);
  jest.spyOn(space, 'open').mockImplementation(async () => {
    const file = (await opened()) as FileHandle;
    const works = file[method].bind(file) as (...values: unknown[]) => Promise<object>;
    let calls = 0;
    (file as unknown as Record<string, unknown>)[method] = (...values: unknown[]) =>
      ++calls > after ? result() : works(...values);
    return file;
  });
}

describe('a disk that fails', () => {
  test.each([
    [
      'writes fewer bytes',
      'write',
      async () => ({ bytesWritten: 7 }),
      'The disk wrote only 7 of 300000 bytes to the spool file',
    ],
    [
      'returns fewer bytes',
      'read',
      async () => ({ bytesRead: 7 }),
      'The disk returned only 7 of 131072 bytes of the spool file',
    ],
    ['is full', 'write', () => Promise.reject(new Error('ENOSPC: no space left')), 'ENOSPC: no space left'],
    ['cannot be read', 'read', () => Promise.reject(new Error('EIO: i/o error')), 'EIO: i/o error'],
  ] as const)(
    '%s: the delivery fails, and the body at the client is incomplete',
    async (_what, method, result, message) => {
      const space = spaceOf();
      breakFile(space, method, 5, result);
      const { state, socket } = await deliver(space);
      if (method === 'write') await until('the failure', () => state.ended !== undefined);
      else await until('the source was read', () => state.isRead);
      expect((await readAll(socket).catch(() => Buffer.alloc(0))).length).toBeLessThan(SIZE);
      await until('the end', () => state.ended !== undefined);
      expect((state.ended as Error).message).toBe(message);
      expect(space.reservedBytes).toBe(0);
    },
  );
});

describe('spool space', () => {
  test('reserves at most the budget, and at most the share of a customer', async () => {
    const space = spaceOf({ SPOOL_MEGABYTES: 4, SPOOL_CUSTOMER_PERCENT: 75 });
    const results = [];
    for (const customer of ['A', 'A', 'A', 'A', 'B', 'B']) results.push(await space.reserve(customer));
    expect(results).toEqual([true, true, true, false, true, false]);
    space.release('A', 1024 * 1024, 1024 * 1024);
    expect(await space.reserve('B')).toBe(true);
  });

  test('is not reserved twice by simultaneous requests', async () => {
    const space = spaceOf({ SPOOL_MEGABYTES: 3 });
    const results = await Promise.all(Array.from({ length: 10 }, () => space.reserve('A')));
    expect(results.filter(Boolean)).toHaveLength(3);
  });

  test('leaves 64 MiB of the disk free', async () => {
    const space = spaceOf({ SPOOL_MEGABYTES: 1_000_000 });
    const free = jest.spyOn(space, 'free').mockResolvedValue(66 * 1024 * 1024);
    expect([await space.reserve('A'), await space.reserve('A'), await space.reserve('A')]).toEqual([true, true, false]);
    // Written bytes are no longer part of the free space.
    space.written(2 * 1024 * 1024);
    free.mockResolvedValue(65 * 1024 * 1024);
    expect([await space.reserve('A'), await space.reserve('A')]).toEqual([true, false]);
  });

  test('logs a warning for a nearly full disk and is usable again later', async () => {
    const lines: string[] = [];
    Logger.overrideLogger({ warn: (line: string) => lines.push(line), log: () => undefined, error: () => undefined });
    const space = spaceOf();
    const free = jest.spyOn(space, 'free').mockResolvedValue(1000);
    await space.onModuleInit();
    expect([await space.probe(), await space.reserve('A')]).toEqual([false, false]);
    free.mockRestore();
    expect(await space.probe()).toBe(true);
    Logger.overrideLogger(false);
    expect(lines).toEqual([expect.stringMatching(/^SPOOL_FOLDER has only 1000 bytes free/)]);
  });

  test.each([
    ['a budget of 0', { SPOOL_MEGABYTES: 0 }, /^SPOOL_MEGABYTES is 0\. /],
    ['a folder that is missing', { SPOOL_FOLDER: '/nowhere' }, /^SPOOL_FOLDER cannot be used: ENOENT.*'\/nowhere\//],
  ])('logs one warning at startup for %s', async (_what, settings: Partial<Settings>, message) => {
    const lines: string[] = [];
    Logger.overrideLogger({ warn: (line: string) => lines.push(line), log: () => undefined, error: () => undefined });
    const space = spaceOf(settings);
    await space.onModuleInit();
    await space.probe();
    Logger.overrideLogger(false);
    expect(lines).toEqual([expect.stringMatching(message)]);
    expect(lines[0]).toMatch(/hold a database connection until they are sent/);
    expect(await space.probe()).toBe(false);
  });

  test('is usable again once the folder exists', async () => {
    const space = spaceOf({ SPOOL_FOLDER: join(folder, 'later') });
    await space.onModuleInit();
    expect(await space.probe()).toBe(false);
    await mkdir(join(folder, 'later'));
    expect(await space.probe()).toBe(true);
  });
});

describe('a spool file', () => {
  test('reuses its space after it was read', async () => {
    const space = spaceOf();
    const file = (await SpoolFile.open(space, 'C'))!;
    for (let round = 0; round < 20; round++) {
      const bytes = randomBytes(100_000);
      expect(await file.append(bytes)).toBe(true);
      expect((await file.read()).equals(bytes)).toBe(true);
    }
    expect(space.reservedBytes).toBe(1024 * 1024);
    await file.close();
    expect(space.reservedBytes).toBe(0);
  });
});

describe('a source that finds no space', () => {
  test('does not wait for a sender that has failed', async () => {
    const space = spaceOf();
    let [failed, calls] = [false, 0];
    breakFile(space, 'read', 0, () => {
      failed = true;
      return Promise.reject(new Error('EIO: i/o error'));
    });
    const { state, socket } = await deliver(space);
    jest.spyOn(space, 'reserve').mockImplementation(async () => {
      if (++calls < 4) return true;
      socket.resume();
      await until('the failure', () => failed);
      await sleep(50);
      return false;
    });
    jest.spyOn(space, 'release').mockImplementation(() => undefined);
    await until('the end', () => state.ended !== undefined);
    expect((state.ended as Error).message).toBe('EIO: i/o error');
    expect(state.heldUp).toBe(0);
  });

  test('does not wait for a client that disconnected during the reservation', async () => {
    const space = spaceOf();
    let socket: Socket | undefined;
    let calls = 0;
    jest.spyOn(space, 'free').mockImplementation(async () => {
      if (++calls < 3) return 1e9;
      socket!.resetAndDestroy();
      await sleep(300);
      return 0;
    });
    const delivery = await deliver(space);
    ({ socket } = delivery);
    await until('the end', () => delivery.state.ended !== undefined);
    expect([delivery.state.heldUp, space.reservedBytes]).toEqual([0, 0]);
  });
});

test('only the owner can read a spool file', async () => {
  const file = (await spaceOf().open())!;
  expect((await file.stat()).mode & 0o777).toBe(0o600);
  await file.close();
});
