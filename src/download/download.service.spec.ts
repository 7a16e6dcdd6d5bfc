import { Logger } from '@nestjs/common';
import express from 'express';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliDecompressSync, constants, gunzipSync } from 'node:zlib';
import type { Settings } from '../config/settings.js';
import type { DatabaseService } from '../database/database.service.js';
import type { CustomerScope } from '../scope/customer-scope.js';
import type { CustomerScopeService } from '../scope/customer-scope.service.js';
import { DownloadService } from './download.service.js';
import { DownloadSlots } from './download-slots.js';
import type { Elements } from './element-source.js';
import { ResponseCache } from './response-cache.js';
import { SpoolSpace } from './spool-space.js';
import { WholeSource } from './whole-source.js';
import { until } from '../../test/support/until.js';

// What no database can be made to do at a given moment: a source of elements that stops, fails and goes on when a test
// says so, behind a real HTTP server with real clients.

const SCOPE: CustomerScope = {
  customerCode: 'C',
  terms: { priceList: null, warehouseCode: null, discountPercentage: '0' },
  parts: { products: null, prices: null, stock: null },
};

/** A service whose snapshots are counted. */
class Bench {
  readonly slots: DownloadSlots;
  readonly downloads: DownloadService;
  readonly cache: ResponseCache;
  opened = 0;
  closed = 0;
  failure?: Error;
  private readonly server: Server;
  /** The connection that was made last, at the side of the service. */
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

  /** Resolves when nothing is held any more. */
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

/** As many bytes as a compressor is given at first: no fewer come early. */
const FIRST_BLOCK = 16 * 1024;
const TEXT = 'x'.repeat(FIRST_BLOCK);
const ELEMENTS = [`{"SKU":"1","Text":"${TEXT}"}`, '{"SKU":"2","Text":null}'] as const;
const LAST = '2';

/** A source of a first and a last element, between which it waits for the test. */
function gatedSource() {
  const gate = { open: () => undefined as void, fail: (_error: Error) => undefined as void, ended: false, asked: 0 };
  const passed = new Promise<void>((resolve, reject) => {
    gate.open = resolve;
    gate.fail = reject;
  });
  passed.catch(() => undefined);
  const elements: Elements['elements'] = async function* (_snapshot, _scope, separator) {
    try {
      yield separator + ELEMENTS[0];
      gate.asked++;
      await passed;
      yield separator + ELEMENTS[1];
      gate.asked++;
    } finally {
      gate.ended = true;
    }
  };
  return { gate, elements };
}

/** Reads until what came so far satisfies the condition. */
async function readUntil(
  socket: Socket,
  condition: (sofar: Buffer) => boolean,
  sofar: Buffer = Buffer.alloc(0),
): Promise<Buffer> {
  socket.resume();
  while (!condition(sofar)) {
    const chunk = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => undefined)]);
    if (!chunk) throw new Error(`Closed after: ${sofar}`);
    sofar = Buffer.concat([sofar, chunk[0] as Buffer]);
  }
  return sofar;
}

/** The bytes of a chunked body, as far as its chunks are complete. */
function bodyOf(answer: Buffer): Buffer {
  const parts: Buffer[] = [];
  let at = answer.indexOf('\r\n\r\n') + 4;
  for (let end = 0; at > 3 && (end = answer.indexOf('\r\n', at)) > 0;) {
    const size = parseInt(answer.toString('latin1', at, end), 16);
    if (!size) break;
    parts.push(answer.subarray(end + 2, end + 2 + size));
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

/** Bodies of the first element, of both, and of none. */
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
/** Whether all that is to come early is there: compressed, at least the first block. */
const isBegun = (text: string, begun: string) => Buffer.byteLength(text) >= FIRST_BLOCK && begun.startsWith(text);

const KINDS = BODIES.flatMap((texts) => Object.entries(DECODERS).map((decoder) => [...decoder, ...texts] as const));

describe.each(KINDS)('%s, %#', (encoding, decode, type, begun, whole, none) => {
  test('the first elements are with the client before the next are there', async () => {
    const { gate, elements } = gatedSource();
    bench = new Bench(elements, {}, LAST);
    const socket = await bench.client(encoding, type);
    const early = await readUntil(socket, (sofar) => isBegun(decode(bodyOf(sofar)), begun));
    expect(bench.slots.load.inFlight).toBe(1);
    gate.open();
    await readUntil(socket, (sofar) => decode(bodyOf(sofar)) === whole, early);
    await bench.idle();
  });

  test('a client that leaves in mid-body leaves nothing behind, and no more is asked for', async () => {
    const { gate, elements } = gatedSource();
    bench = new Bench(elements, {}, LAST);
    const socket = await bench.client(encoding, type);
    await readUntil(socket, (sofar) => isBegun(decode(bodyOf(sofar)), begun));
    socket.destroy();
    await sleep(50);
    gate.open();
    await bench.idle();
    expect(gate).toMatchObject({ ended: true, asked: 1 });
  });

  test('a failure in mid-body resets the connection, and frees everything', async () => {
    const { gate, elements } = gatedSource();
    bench = new Bench(elements, {}, LAST);
    const socket = await bench.client(encoding, type);
    const early = await readUntil(socket, (sofar) => isBegun(decode(bodyOf(sofar)), begun));
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

  test('a failure before the first element is thrown, without headers that speak of a body', async () => {
    bench = new Bench(async function* () {
      yield* [];
      throw new Error('at once');
    });
    const socket = await bench.client(encoding, type);
    const answer = (await readUntil(socket, (sofar) => sofar.includes('\r\n\r\n'))).toString();
    expect(answer).toMatch(/^HTTP\/1\.1 500 /);
    expect(answer).not.toMatch(/^(etag|content-type|content-encoding|cache-control|vary):/im);
    await bench.idle();
    expect(bench.failure?.message).toBe('at once');
  });

  test('no elements at all are a whole answer, too', async () => {
    bench = new Bench(async function* () {});
    const socket = await bench.client(encoding, type);
    const answer = await readUntil(socket, (sofar) => sofar.toString('latin1').endsWith('\r\n0\r\n\r\n'));
    expect(answer.toString('latin1')).toMatch(/^HTTP\/1\.1 200 /);
    expect(decode(bodyOf(answer))).toBe(none);
    await bench.idle();
  });
});

/** A source of these elements, ready at once. */
const ready = (...elements: string[]): Elements['elements'] =>
  async function* (_snapshot, _terms, separator) {
    for (const element of elements) yield separator + element;
  };

describe('the last element', () => {
  test.each(KINDS)(
    '%s, %#: another one than X-Last-SKU names resets the connection (decision 111)',
    async (...kind) => {
      const [encoding, , type] = kind;
      const log: string[] = [];
      Logger.overrideLogger({ error: (text: string) => log.push(text), log: () => undefined, warn: () => undefined });
      bench = new Bench(ready(...ELEMENTS), {}, '3');
      const socket = await bench.client(encoding, type);
      await expect(readUntil(socket, (sofar) => sofar.includes('\r\n0\r\n\r\n'))).rejects.toThrow(
        /Closed after|ECONNRESET/,
      );
      await bench.idle();
      Logger.overrideLogger(false);
      // Compressed, all of so small a body is made before its first byte: then it is an error of its own.
      const texts = [...log, String(bench.failure?.message)].join();
      expect(texts).toContain('The last element does not have the SKU "3", which X-Last-SKU names');
    },
  );

  test.each([
    ['none, where one is named', [], '2'],
    ['one, where none is named', [SECOND], undefined],
    ['a text that looks like it', ['{"SKU":"1","Text":"\\"SKU\\":\\"2\\""}'], '2'],
    ['a SKU that begins like it', ['{"SKU":"22","Text":null}'], '2'],
  ])('%s is not sent as a whole answer (decision 111)', async (_what, elements, named) => {
    bench = new Bench(ready(...elements), {}, named);
    const socket = await bench.client();
    const complete = readUntil(socket, (sofar) => sofar.includes('\r\n0\r\n\r\n'));
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
    const head = (await readUntil(socket, (sofar) => sofar.includes('\r\n\r\n'))).toString();
    tags.push(/^ETag: (.*)\r$/m.exec(head)?.[1]);
    socket.destroy();
  }
  expect(tags).toEqual([tags[0], expect.stringMatching(/^"/), tags[0]]);
  expect(tags[1]).not.toBe(tags[0]);
});

test('a source gets the terms that the ETag names, and no Customer Code (decision 113)', async () => {
  const given: object[] = [];
  bench = new Bench(async function* (_snapshot, terms) {
    yield* [];
    // @ts-expect-error There is no such key.
    given.push(terms, [terms.customerCode]);
  });
  await readUntil(await bench.client(), (sofar) => sofar.toString('latin1').endsWith('\r\n0\r\n\r\n'));
  expect(given).toEqual([SCOPE.terms, [undefined]]);
});

/** Everything that a client gets until the connection closes. */
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
  ])('is never on chunks, though the connection closes: HTTP/%s, %j (decision 110)', async (version, lines) => {
    const text = await exchange(version, ...lines);
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*Transfer-Encoding: chunked\r\n[^]*\r\n0\r\n\r\n$/);
    expect(text.split('\r\n\r\n')[0]).not.toMatch(/^connection:/im);
  });

  test('is on a body without chunks, whose end is that of the connection: HTTP/1.0 (decision 110)', async () => {
    const text = await exchange('1.0');
    expect(text).toMatch(/^Connection: close\r$/m);
    expect(text).not.toMatch(/^transfer-encoding:/im);
    expect(text.endsWith(`[${FIRST},${SECOND}]`)).toBe(true);
  });
});

test('who leaves while it waits for its turn starts no work', async () => {
  const { gate, elements } = gatedSource();
  bench = new Bench(elements, { DOWNLOAD_POOL_SIZE: 1 }, LAST);
  await readUntil(await bench.client(), (sofar) => bodyOf(sofar).includes('"1"'));
  const waiting = await bench.client();
  await untilTrue(() => bench.slots.load.waiting === 1);
  waiting.destroy();
  await untilTrue(() => bench.slots.load.waiting === 0);
  gate.open();
  await bench.idle();
  expect(bench.opened).toBe(1);
  expect(bench.failure).toBeUndefined();
});

test('who waits too long gets an error, and holds nothing', async () => {
  const { gate, elements } = gatedSource();
  bench = new Bench(elements, { DOWNLOAD_POOL_SIZE: 1, DATABASE_WAIT_MS: 200 }, LAST);
  await readUntil(await bench.client(), (sofar) => bodyOf(sofar).includes('"1"'));
  await readUntil(await bench.client(), (sofar) => sofar.includes('HTTP/1.1 500 '));
  expect(bench.opened).toBe(1);
  gate.open();
  await bench.idle();
});

test('what is refused on a connection that stays leaves nothing on it', async () => {
  const { gate, elements } = gatedSource();
  bench = new Bench(elements, { DOWNLOAD_POOL_SIZE: 1, DATABASE_WAIT_MS: 10 }, LAST);
  await readUntil(await bench.client(), (sofar) => bodyOf(sofar).includes('"1"'));
  const kept = await bench.connect();
  const listeners: number[] = [];
  for (let request = 0; request < 3; request++) {
    kept.write('GET / HTTP/1.1\r\nHost: test\r\n\r\n');
    await readUntil(kept, (sofar) => sofar.includes('HTTP/1.1 500 '));
    listeners.push(bench.latest!.listenerCount('close'));
  }
  kept.destroy();
  gate.open();
  await bench.idle();
  expect(listeners).toEqual(listeners.map(() => listeners[0]));
});

/** Reads so many bytes a second. @returns after how many seconds the connection broke, or undefined */
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

describe('pace', () => {
  /** So large that a slow client takes longer for one than it may take nothing. */
  const BATCH = 4 * 1024 * 1024;
  /** Endless, and not to be compressed. */
  const endless: Elements['elements'] = async function* () {
    for (;;) yield ',' + randomBytes((BATCH * 3) / 4).toString('base64');
  };
  const LIMITS = { DOWNLOAD_STALL_SECONDS: 5, DOWNLOAD_MIN_BYTES_PER_SECOND: 1000 };

  const ENCODINGS = ['identity', 'gzip', 'br'];

  /** Has a client of each encoding, at the same time, since that takes long. */
  async function ofEach<T>(read: (own: Bench, socket: Socket) => Promise<T>): Promise<T[]> {
    const benches = ENCODINGS.map(() => new Bench(endless, LIMITS));
    const results = await Promise.all(benches.map(async (own, index) => read(own, await own.client(ENCODINGS[index]))));
    await Promise.all(benches.map((own) => own.idle()));
    await Promise.all(benches.map((own) => own.close()));
    return results;
  }

  test('who takes a byte a second of whatever encoding is cut soon, and frees what it held', async () => {
    const cutAfter = await ofEach((own, socket) => readSlowly(own, socket, 1, 15));
    for (const second of cutAfter) expect(second).toBeGreaterThanOrEqual(3);
  }, 30_000);

  test('who takes whatever encoding slowly, and yet many times the least, is not cut', async () => {
    const read = await ofEach(async (own, socket) => {
      const cutAfter = await readSlowly(own, socket, 400_000, 14);
      const { inFlight } = own.slots.load;
      socket.destroy();
      return { cutAfter, inFlight, bytes: socket.bytesRead };
    });
    for (const { cutAfter, inFlight, bytes } of read) {
      expect([cutAfter, inFlight]).toEqual([undefined, 1]);
      // It really was as slow as that.
      expect(bytes).toBeLessThan(12_000_000);
      expect(bytes).toBeGreaterThan(2_000_000);
    }
  }, 30_000);
});
