import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Kind, learn } from './customer-calls.js';
import { tokenCall } from './http-call.js';
import { Repetition } from './repetition.js';
import { SlowDownload } from './versioned-catalogue.js';

/** What DOWNLOAD_STALL_SECONDS has to be. */
export const STALL_SECONDS = 3;
/** How long one reads slowly, or not at all, in milliseconds. */
const SLOW_MS = 2 * STALL_SECONDS * 1000;
/** How long a client reads nothing before the service aborts its response, which was read and has ten times as long. */
const STALLED_MS = 11 * STALL_SECONDS * 1000;
/** How long one keeps a connection for nothing before it leaves: not so long that it would be cut. */
const IDLE_MS = 2000;
/** Between the pieces that one sends or reads. */
const PAUSE_MS = 100;
/** How a connection of TLS begins. */
const GARBAGE = '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03\xff\xfe\r\n\r\n';
/** Far more than may be under way at once. */
const PIPELINED = 40;

/** Somebody who does what no client should, over and over. */
interface Nuisance {
  readonly name: string;
  /** @returns how it was answered: a status, or what became of the connection */
  once(): Promise<string>;
  readonly expected: string;
}

/** Calls that are refused, or whose answer nobody reads. */
export function refusedCalls(url: string, token: string): Promise<Kind[]> {
  const large = '?' + 'x'.repeat(10_000);
  const own = (more: object) => ({ token, ...more });
  return Promise.all([
    learn('a wrong token', 'count', url, { path: '/products', token: `${token}x` }, 401),
    learn('a wrong key', 'lookup', url, tokenCall('D', 'x'.repeat(43)), 401),
    learn('no such path', 'count', url, own({ path: '/nowhere' + large }), 404),
    learn('a huge query', 'download', url, own({ path: '/stock' + large })),
    learn('a huge form', 'count', url, { ...tokenCall('D', 'x'.repeat(20_000)) }, 413),
    learn('HEAD', 'lookup', url, own({ path: '/products', method: 'HEAD' })),
  ]);
}

/** All kinds of them, one of each. */
export class HostileClients {
  /** How often each was answered how. */
  readonly outcomes: Record<string, Record<string, number>> = {};
  private readonly all: Nuisance[];
  private readonly repetitions: Repetition[];

  /**
   * @param token of a customer whose `/products` is more than sockets hold
   * @param small of another one
   * @param pause milliseconds between one time and the next
   */
  constructor(url: string, token: string, small: string, pause: number) {
    this.all = [...downloads(url, token), ...connections(url, small)];
    this.repetitions = this.all.map((one) => new Repetition(() => this.note(one), pause));
  }

  /** What each has to be answered, and nothing else. */
  get expected(): Record<string, Record<string, unknown>> {
    return Object.fromEntries(this.all.map(({ name, expected }) => [name, { [expected]: expect.any(Number) }]));
  }

  /** Resolves when all have left. */
  async stop(): Promise<void> {
    await Promise.all(this.repetitions.map((repetition) => repetition.stop()));
  }

  private async note({ name, once }: Nuisance): Promise<void> {
    const outcome = await once().catch((error: Error) => error.message);
    const counts = (this.outcomes[name] ??= {});
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
}

/** Each has one at a time: together not more than a customer may have. */
function downloads(url: string, token: string): Nuisance[] {
  const begin = (header?: string) => SlowDownload.begin(url, '/products', token, '1.1', header);
  const leaving = async (header?: string) => {
    const download = await begin(header);
    await sleep(PAUSE_MS);
    download.abort();
    return String(download.status);
  };
  return [
    { name: 'leaves in mid-answer', once: () => leaving(), expected: '200' },
    { name: 'leaves in mid-answer, gzip', once: () => leaving('Accept-Encoding: gzip'), expected: '200' },
    {
      name: 'reads slowly',
      expected: 'all of it',
      once: async () => {
        const download = await begin();
        for (const end = performance.now() + SLOW_MS; performance.now() < end; await sleep(PAUSE_MS / 5))
          download.take(65_536);
        return (await download.finish())?.endsWith(']') ? 'all of it' : 'aborted';
      },
    },
    {
      name: 'reads no more',
      expected: 'aborted',
      once: async () => {
        const download = await begin();
        await sleep(STALLED_MS);
        return (await download.isAborted()) ? 'aborted' : 'all of it';
      },
    },
    {
      name: 'closes its side',
      expected: 'aborted',
      once: async () => {
        const download = await begin();
        download.closeSide();
        return (await download.isAborted()) ? 'aborted' : 'all of it';
      },
    },
  ];
}

function connections(url: string, token: string): Nuisance[] {
  const get = `GET /stock HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`;
  const form = 'POST /auth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n';
  const answered = (name: string, text: string, expected: string) => ({ name, expected, once: () => ask(url, text) });
  const leaving = (name: string, pieces: string[]) => ({ name, expected: 'left', once: () => leave(url, pieces) });
  return [
    answered('sends garbage', GARBAGE, '400'),
    { name: 'sends garbage, and goes on', expected: '400', once: () => ask(url, GARBAGE, true) },
    answered('sends too large headers', `${get}X-Large: ${'x'.repeat(20_000)}\r\n\r\n`, '431'),
    answered('sends two hosts', `${get}Host: y\r\nConnection: close\r\n\r\n`, '400'),
    answered('pipelines, then closes', `${get}\r\n`.repeat(PIPELINED - 1) + `${get}Connection: close\r\n\r\n`, '200'),
    leaving('says nothing', ['']),
    leaving('sends headers slowly', [...get].map(String)),
    leaving('sends half a form', [`${form}Content-Length: 100\r\n\r\ngrant_type=`]),
    leaving('pipelines, then leaves', [`${get}\r\n`.repeat(PIPELINED)]),
  ];
}

/**
 * Says something, and reads until the service closes the connection.
 * @param goesOn whether it leaves its own side of that open, and goes on sending
 * @returns the status of the first answer
 */
function ask(url: string, text: string, goesOn = false): Promise<string> {
  return new Promise((resolve) => {
    let status = '';
    const socket = dial(url, goesOn, () => socket.write(text, 'latin1'));
    socket.on('data', (piece: Buffer) => (status ||= piece.toString('latin1', 9, 12)));
    const sending = goesOn ? setInterval(() => socket.write('x'), PAUSE_MS) : undefined;
    socket
      .on('error', () => undefined)
      .on('close', () => {
        clearInterval(sending);
        resolve(status || 'no answer');
      });
  });
}

/** Says something piece by piece, reads nothing, and leaves without a word after a while. */
async function leave(url: string, pieces: readonly string[]): Promise<string> {
  let closed = 'left';
  const socket = dial(url, false).on('error', ({ message }) => (closed = message));
  for (const piece of pieces) {
    socket.write(piece);
    await sleep(IDLE_MS / pieces.length);
  }
  socket.resetAndDestroy();
  return closed;
}

function dial(url: string, allowHalfOpen: boolean, connected?: () => void) {
  const { hostname, port } = new URL(url);
  return connect({ host: hostname, port: Number(port), allowHalfOpen }, connected);
}
