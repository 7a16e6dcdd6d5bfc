import { Logger } from '@nestjs/common';
import express from 'express';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliDecompressSync, constants, gunzipSync } from 'node:zlib';
import type { Settings } from '../config/settings.js';
import type { DatabaseService } from '../database/database.service.js';
import type { SnapshotScope } from '../scope/customer-scope.js';
import type { CustomerScopeService } from '../scope/customer-scope.service.js';
import { DownloadService } from './download.service.js';
import { DownloadSlots } from './download-slots.js';
import type { Elements } from './elements.js';
import { ResponseCache } from './response-cache.js';
import { SpoolSpace } from './spool-space.js';
import { WholeSource } from './whole-source.js';
import { until } from '../../test/support/until.js';

// The tests control the source of elements: they make it wait, fail and continue. No database can do that on demand.
// The source runs behind a real HTTP server with real clients.

const SCOPE: SnapshotScope = {
  customerCode: 'C',
  terms: { priceList: null, warehouseCode: null, discountPercentage: '0' },
  versions: { products: null, prices: null, stock: null },
  changedAt: { products: null, prices: null, stock: null },
};

/** A download service that counts its snapshots. */
class Bench {
  readonly slots: DownloadSlots;
  readonly downloads: DownloadService;
  readonly cache: ResponseCache;
  opened = 0;
  closed = 0;
  failure?: Error;
  private readonly server: Server;
  /** The service's side of the latest connection. */
  latest?: Socket;
  private readonly sockets = new Set<Socket>();

  constructor(elements: Elements['elements'], settings: Partial<Settings> = {}, lastSku?: string) {
    const all = {
      DOWNLOAD_POOL_SIZE: 2,
      DOWNLOADS_PER_CUSTOMER: 2,
      DATABASE_WAIT_MS: 20_000,
      DOWNLOAD_STALL_SECONDS: 60,
      DOWNLOAD_MIN_BYTES_PER_SECOND: 1000,
      SPOOL_MEGABYTES: 0,
      SPOOL_CUSTOMER_PERCENT: 25,
      RESPONSE_CACHE_MEGABYTES: 1,
      ...settings,
    } as Settings;
    const snapshot = async () => {
      this.opened++;
      return { query: async () => [], close: async () => void this.closed++ };
    };
    const database = { snapshot, isMigrationWaiting: async () => false } as unknown as DatabaseService;
    this.slots = new DownloadSlots(database, all);
    this.downloads = new DownloadService(
      database,
      { find: async () => SCOPE } as unknown as CustomerScopeService,
      this.slots,
      new SpoolSpace(all),
      (this.cache = new ResponseCache(all)),
    );
    const app = express().disable('etag');
    app.get(['/', '/other'], ({ path }, response) => {
      const content = { path, serializationHash: 's', dependsOn: [] };
      const reader = { elements, lastSku: async () => lastSku, skus: async () => new Set<string>() };
      const source = new WholeSource(content, reader, ['SKU', 'Text'], false);
      this.downloads.send(response, SCOPE, source).catch((error: Error) => {
        this.failure = error;
        response.status(500).end();
      });
    });
    this.server = createServer(app).listen(0, '127.0.0.1');
    this.server.on('connection', (socket) => this.sockets.add((this.latest = socket)));
  }

  async connect(): Promise<Socket> {
    if (!this.server.listening) await once(this.server, 'listening');
    const socket = connect((this.server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  }

  /** A client that has sent its request and reads nothing yet. */
  async client(encoding = 'identity', type = '*/*'): Promise<Socket> {
    const socket = await this.connect();
    socket.pause();
    socket.write(
      `GET / HTTP/1.1\r\nHost: test\r\nAccept: ${type}\r\nAccept-Encoding: ${encoding}\r\nConnection: close\r\n\r\n`,
    );
    return socket;
  }

  /** Resolves when no slot is taken and every snapshot is closed. */
  async idle(): Promise<void> {
    await untilTrue(
      () => this.slots.load.inFlight === 0 && this.slots.load.waiting === 0 && this.opened === this.closed,
    );
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }
}

let bench: Bench;
beforeAll(() => Logger.overrideLogger(false));
afterEach(() => bench.close());

const untilTrue = (condition: () => boolean) => until(String(condition), condition);

/** The size of a compressor's first block. The service sends no compressed byte before it has read this many bytes. */
const FIRST_BLOCK = 16 * 1024;
const TEXT = 'x'.repeat(FIRST_BLOCK);
const ELEMENTS = [`{"SKU":"1","Text":"${TEXT}"}`, '{"SKU":"2","Text":null}'] as const;
const LAST = '2';

/** A source of two elements that waits for the test between them. */
function gatedSource() {
  const gate = {
    open: () => undefined as void,
    fail: (_error: Error) => undefined as void,
    ended: false,
    requested: 0,
  };
  const passed = new Promise<void>((resolve, reject) => {
    gate.open = resolve;
    gate.fail = reject;
  });
  passed.catch(() => undefined);
  const elements: Elements['elements'] = async function* (_snapshot, _scope, separator) {
    try {
      yield separator + ELEMENTS[0];
      gate.requested++;
      await passed;
      yield separator + ELEMENTS[1];
      gate.requested++;
    } finally {
      gate.ended = true;
    }
  };
  return { gate, elements };
}

/** Reads until the received bytes satisfy the condition. */
async function readUntil(
  socket: Socket,
  condition: (received: Buffer) => boolean,
  received: Buffer = Buffer.alloc(0),
): Promise<Buffer> {
  socket.resume();
  while (!condition(received)) {
    const chunk = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => undefined)]);
    if (!chunk) throw new Error(`Closed after: ${received}`);
    received = Buffer.concat([received, chunk[0] as Buffer]);
  }
  return received;
}

/** The bytes of the complete chunks of a chunked body. */
function bodyOf(response: Buffer): Buffer {
  const parts: Buffer[] = [];
  let at = response.indexOf('\r\n\r\n') + 4;
  for (let end = 0; at > 3 && (end = response.indexOf('\r\n', at)) > 0;) {
    const size = parseInt(response.toString('latin1', at, end), 16);
    if (!size) break;
    parts.push(response.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
  return Buffer.concat(parts);
}

const DECODERS: Record<string, (body: Buffer) => string> = {
  identity: (body) => body.toString(),
  gzip: (body) => (body.length ? gunzipSync(body, { finishFlush: constants.Z_SYNC_FLUSH }).toString() : ''),
  br: (body) =>
    body.length ? brotliDecompressSync(body, { finishFlush: constants.BROTLI_OPERATION_FLUSH }).toString() : '',
};

const [FIRST, SECOND] = ELEMENTS;
const CSV = (delimiter: string, ...rows: string[]) => ['SKU,Text', ...rows, ''].join('\r\n').replaceAll(',', delimiter);
const [ROW_1, ROW_2] = [`1,${TEXT}`, '2,'];

/** For each media type: the body up to the first element, the body of both elements, and the body of none. */
const BODIES = [
  ['application/json', `[${FIRST}`, `[${FIRST},${SECOND}]`, '[]'],
  ['application/x-ndjson', FIRST, `${FIRST}\n${SECOND}\n`, ''],
  ['text/csv', CSV(',', ROW_1), CSV(',', ROW_1, ROW_2), CSV(',')],
  [
    'text/csv;bom=1;delimiter=semicolon',
    `\uFEFF${CSV(';', ROW_1)}`,
    `\uFEFF${CSV(';', ROW_1, ROW_2)}`,
    `\uFEFF${CSV(';')}`,
  ],
] as const;
/**
 * Whether all bytes that the service sends early have arrived. In a compressed body, these are at least the first
 * block.
 */
const hasBeginning = (text: string, beginning: string) =>
  Buffer.byteLength(text) >= FIRST_BLOCK && beginning.startsWith(text);

const KINDS = BODIES.flatMap((texts) => Object.entries(DECODERS).map((decoder) => [...decoder, ...texts] as const));

describe.each(KINDS)('%s, %#', (encoding, decode, type, beginning, whole, none) => {
  test('sends the first elements before the next are available', async () => {
    const { gate, elements } = gatedSource();
    bench = new Bench(elements, {}, LAST);
    const socket = await bench.client(encoding, type);
    const early = await readUntil(socket, (received) => hasBeginning(decode(bodyOf(received)), beginning));
    expect(bench.slots.load.inFlight).toBe(1);
    gate.open();
    await readUntil(socket, (received) => decode(bodyOf(received)) === whole, early);
    await bench.idle();
  });

  test('releases everything and stops reading after a client disconnects in the middle of a body', async () => {
    const { gate, elements } = gatedSource();
    bench = new Bench(elements, {}, LAST);
    const socket = await bench.client(encoding, type);
    await readUntil(socket, (received) => hasBeginning(decode(bodyOf(received)), beginning));
    socket.destroy();
    await sleep(50);
    gate.open();
    await bench.idle();
    expect(gate).toMatchObject({ ended: true, requested: 1 });
  });

  test('resets the connection and releases everything after a failure in the middle of a body', async () => {
    const { gate, elements } = gatedSource();
    bench = new Bench(elements, {}, LAST);
    const socket = await bench.client(encoding, type);
    const early = await readUntil(socket, (received) => hasBeginning(decode(bodyOf(received)), beginning));
    const broken = once(socket, 'end').then(
      () => 'ended',
      () => 'broken',
    );
    gate.fail(new Error('in mid-body'));
    expect(await broken).toBe('broken');
    expect(early.toString('latin1')).not.toContain('\r\n0\r\n\r\n');
    await bench.idle();
    expect(gate.ended).toBe(true);
  });

  test('throws a failure before the first element, without headers that describe a body', async () => {
    bench = new Bench(async function* () {
      yield* [];
      throw new Error('at once');
    });
    const socket = await bench.client(encoding, type);
    const response = (await readUntil(socket, (received) => received.includes('\r\n\r\n'))).toString();
    expect(response).toMatch(/^HTTP\/1\.1 500 /);
    expect(response).not.toMatch(/^(etag|content-type|content-encoding|cache-control|vary):/im);
    await bench.idle();
    expect(bench.failure?.message).toBe('at once');
  });

  test('sends a complete response without elements', async () => {
    bench = new Bench(async function* () {});
    const socket = await bench.client(encoding, type);
    const response = await readUntil(socket, (received) => received.toString('latin1').endsWith('\r\n0\r\n\r\n'));
    expect(response.toString('latin1')).toMatch(/^HTTP\/1\.1 200 /);
    expect(decode(bodyOf(response))).toBe(none);
    await bench.idle();
  });
});

/** A source of these elements that are available at once. */
const ready = (...elements: string[]): Elements['elements'] =>
  async function* (_snapshot, _terms, separator) {
    for (const element of elements) yield separator + element;
  };

describe('a last element', () => {
  test.each(KINDS)(
    'with another SKU than X-Last-SKU resets the connection (%s, %#) (decision 111)',
    async (...kind) => {
      const [encoding, , type] = kind;
      const log: string[] = [];
      Logger.overrideLogger({ error: (text: string) => log.push(text), log: () => undefined, warn: () => undefined });
      bench = new Bench(ready(...ELEMENTS), {}, '3');
      const socket = await bench.client(encoding, type);
      await expect(readUntil(socket, (received) => received.includes('\r\n0\r\n\r\n'))).rejects.toThrow(
        /Closed after|ECONNRESET/,
      );
      await bench.idle();
      Logger.overrideLogger(false);
      // A small body is compressed completely before its first byte is sent, so the failure becomes an error response.
      const texts = [...log, String(bench.failure?.message)].join();
      expect(texts).toContain('The last element does not have the SKU "3", which X-Last-SKU names');
    },
  );

  test.each([
    ['that is missing though X-Last-SKU names one', [], '2'],
    ['that X-Last-SKU does not name', [SECOND], undefined],
    ['with a text that looks like the SKU', ['{"SKU":"1","Text":"\\"SKU\\":\\"2\\""}'], '2'],
    ['with a SKU that begins like it', ['{"SKU":"22","Text":null}'], '2'],
  ])('%s makes the response incomplete (decision 111)', async (_what, elements, named) => {
    bench = new Bench(ready(...elements), {}, named);
    const socket = await bench.client();
    const complete = readUntil(socket, (received) => received.includes('\r\n0\r\n\r\n'));
    await expect(complete).rejects.toThrow(/^(?![^]*HTTP\/1\.1 200[^]*\r\n0\r\n\r\n)/);
    await bench.idle();
  });
});

test('the ETag depends on the path (decision 113)', async () => {
  const tags: (string | undefined)[] = [];
  bench = new Bench(ready(...ELEMENTS), {}, LAST);
  for (const path of ['/', '/other', '/']) {
    const socket = await bench.connect();
    socket.write(`HEAD ${path} HTTP/1.1\r\nHost: test\r\n\r\n`);
    const head = (await readUntil(socket, (received) => received.includes('\r\n\r\n'))).toString();
    tags.push(/^ETag: (.*)\r$/m.exec(head)?.[1]);
    socket.destroy();
  }
  expect(tags).toEqual([tags[0], expect.stringMatching(/^"/), tags[0]]);
  expect(tags[1]).not.toBe(tags[0]);
});

test('a source receives the terms in the ETag, and no Customer Code (decision 113)', async () => {
  const given: object[] = [];
  bench = new Bench(async function* (_snapshot, terms) {
    yield* [];
    // @ts-expect-error There is no such key.
    given.push(terms, [terms.customerCode]);
  });
  await readUntil(await bench.client(), (received) => received.toString('latin1').endsWith('\r\n0\r\n\r\n'));
  expect(given).toEqual([SCOPE.terms, [undefined]]);
});

/** Everything that a client receives until the connection closes. */
const exchange = async (version: string, ...lines: string[]) => {
  bench = new Bench(ready(...ELEMENTS), {}, LAST);
  const socket = await bench.connect();
  let text = '';
  socket.setEncoding('latin1').on('data', (part: string) => (text += part));
  socket.write(['GET / HTTP/' + version, 'Host: test', ...lines, '', ''].join('\r\n'));
  await once(socket, 'end');
  return text;
};

describe('Connection: close', () => {
  test.each([
    ['1.1', ['Connection: close']],
    ['1.1', ['Connection: close, TE', 'TE: trailers']],
    ['1.0', ['TE: chunked']],
  ])(
    'is never sent with chunks, although the connection closes: HTTP/%s, %j (decision 110)',
    async (version, lines) => {
      const text = await exchange(version, ...lines);
      expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*Transfer-Encoding: chunked\r\n[^]*\r\n0\r\n\r\n$/);
      expect(text.split('\r\n\r\n')[0]).not.toMatch(/^connection:/im);
    },
  );

  test('is sent to HTTP/1.0, where the body has no chunks and ends with the connection (decision 110)', async () => {
    const text = await exchange('1.0');
    expect(text).toMatch(/^Connection: close\r$/m);
    expect(text).not.toMatch(/^transfer-encoding:/im);
    expect(text.endsWith(`[${FIRST},${SECOND}]`)).toBe(true);
  });
});

test('a client that disconnects while it waits for a slot opens no snapshot', async () => {
  const { gate, elements } = gatedSource();
  bench = new Bench(elements, { DOWNLOAD_POOL_SIZE: 1 }, LAST);
  await readUntil(await bench.client(), (received) => bodyOf(received).includes('"1"'));
  const waiting = await bench.client();
  await untilTrue(() => bench.slots.load.waiting === 1);
  waiting.destroy();
  await untilTrue(() => bench.slots.load.waiting === 0);
  gate.open();
  await bench.idle();
  expect(bench.opened).toBe(1);
  expect(bench.failure).toBeUndefined();
});

test('a client that waits too long receives an error and releases everything', async () => {
  const { gate, elements } = gatedSource();
  bench = new Bench(elements, { DOWNLOAD_POOL_SIZE: 1, DATABASE_WAIT_MS: 200 }, LAST);
  await readUntil(await bench.client(), (received) => bodyOf(received).includes('"1"'));
  await readUntil(await bench.client(), (received) => received.includes('HTTP/1.1 500 '));
  expect(bench.opened).toBe(1);
  gate.open();
  await bench.idle();
});

test('a rejected request leaves no listener on a keep-alive connection', async () => {
  const { gate, elements } = gatedSource();
  bench = new Bench(elements, { DOWNLOAD_POOL_SIZE: 1, DATABASE_WAIT_MS: 10 }, LAST);
  await readUntil(await bench.client(), (received) => bodyOf(received).includes('"1"'));
  const socket = await bench.connect();
  const listeners: number[] = [];
  for (let request = 0; request < 3; request++) {
    socket.write('GET / HTTP/1.1\r\nHost: test\r\n\r\n');
    await readUntil(socket, (received) => received.includes('HTTP/1.1 500 '));
    listeners.push(bench.latest!.listenerCount('close'));
  }
  socket.destroy();
  gate.open();
  await bench.idle();
  expect(listeners).toEqual(listeners.map(() => listeners[0]));
});

/**
 * Reads the given number of bytes per second.
 * @returns the number of seconds after which the connection broke, or undefined
 */
async function readSlowly(
  { slots }: Bench,
  socket: Socket,
  bytesPerSecond: number,
  seconds: number,
): Promise<number | undefined> {
  let closed = false;
  socket.on('close', () => (closed = true));
  for (let second = 0; second < seconds; second++) {
    for (let part = 0; part < 10; part++) {
      socket.read(Math.ceil(bytesPerSecond / 10));
      await sleep(100);
    }
    if (closed || slots.load.inFlight === 0) return second;
  }
  return undefined;
}

describe('with a minimum rate,', () => {
  /** In bytes. A slow client needs more time for one batch than a stall may last. */
  const BATCH = 4 * 1024 * 1024;
  /** An endless body that does not compress. */
  const endless: Elements['elements'] = async function* () {
    for (;;) yield ',' + randomBytes((BATCH * 3) / 4).toString('base64');
  };
  const LIMITS = { DOWNLOAD_STALL_SECONDS: 5, DOWNLOAD_MIN_BYTES_PER_SECOND: 1000 };

  const ENCODINGS = ['identity', 'gzip', 'br'];

  /** Runs one client per encoding at the same time, because each takes long. */
  async function forEachEncoding<T>(read: (own: Bench, socket: Socket) => Promise<T>): Promise<T[]> {
    const benches = ENCODINGS.map(() => new Bench(endless, LIMITS));
    const results = await Promise.all(benches.map(async (own, index) => read(own, await own.client(ENCODINGS[index]))));
    await Promise.all(benches.map((own) => own.idle()));
    await Promise.all(benches.map((own) => own.close()));
    return results;
  }

  test('a client that reads one byte per second is aborted soon and frees its slot, in every encoding', async () => {
    const abortedAfter = await forEachEncoding((own, socket) => readSlowly(own, socket, 1, 15));
    for (const second of abortedAfter) expect(second).toBeGreaterThanOrEqual(3);
  }, 30_000);

  test('a slow client far above the minimum rate is not aborted, in every encoding', async () => {
    const read = await forEachEncoding(async (own, socket) => {
      const abortedAfter = await readSlowly(own, socket, 400_000, 14);
      const { inFlight } = own.slots.load;
      socket.destroy();
      return { abortedAfter, inFlight, bytes: socket.bytesRead };
    });
    for (const { abortedAfter, inFlight, bytes } of read) {
      expect([abortedAfter, inFlight]).toEqual([undefined, 1]);
      // Check that the client really was this slow.
      expect(bytes).toBeLessThan(12_000_000);
      expect(bytes).toBeGreaterThan(2_000_000);
    }
  }, 30_000);
});

test('while a client waits for the database, the response of a slow client is read ahead slowly', async () => {
  let end!: () => void;
  let requests = 0;
  let pieces = 0;
  bench = new Bench(
    async function* (_snapshot, _scope, separator) {
      if (!requests++) await new Promise<void>((resolve) => (end = resolve));
      for (; pieces < 64; pieces++) yield separator + 'x'.repeat(300_000);
    },
    { SPOOL_MEGABYTES: 100, SPOOL_CUSTOMER_PERCENT: 100, SPOOL_FOLDER: tmpdir() },
  );
  const waiting = await bench.client();
  await untilTrue(() => requests === 1);
  const slow = await bench.client();
  await sleep(1000);
  expect(pieces).toBeLessThan(32);
  end();
  await untilTrue(() => pieces >= 64);
  for (const socket of [waiting, slow]) socket.destroy();
});
