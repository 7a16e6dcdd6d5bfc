import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Kind, learn } from './customer-calls.js';
import { tokenCall } from './http-call.js';
import { Repetition } from './repetition.js';
import { SlowDownload } from './versioned-catalogue.js';

/** The value that DOWNLOAD_STALL_SECONDS must have. */
export const STALL_SECONDS = 3;
/** How long a client reads slowly, in milliseconds. */
const SLOW_MS = 2 * STALL_SECONDS * 1000;
/**
 * Milliseconds without reading after which the service has aborted the response. A response without a connection may
 * stall ten times as long.
 */
const STALLED_MS = 11 * STALL_SECONDS * 1000;
/**
 * How long a client keeps an idle connection before it disconnects, in milliseconds. The service must not close the
 * connection earlier.
 */
const IDLE_MS = 2000;
/** Milliseconds between the pieces that a client sends or reads. */
const PAUSE_MS = 100;
/** The beginning of a TLS connection. */
const GARBAGE = '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03\xff\xfe\r\n\r\n';
/** Far more requests than may be in flight at once. */
const PIPELINED = 40;

/** A client that repeats a forbidden behaviour. */
interface Nuisance {
  readonly name: string;
  /** @returns the outcome: a status, or the fate of the connection */
  once(): Promise<string>;
  readonly expected: string;
}

/** Requests that are rejected, or whose response is not used. */
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

/** One hostile client of each kind. */
export class HostileClients {
  /** The number of each outcome, by client. */
  readonly outcomes: Record<string, Record<string, number>> = {};
  private readonly all: Nuisance[];
  private readonly repetitions: Repetition[];

  /**
   * @param token the token of a customer with a `/products` response that is larger than socket buffers
   * @param small the token of another customer
   * @param pause milliseconds between two runs of a client
   */
  constructor(url: string, token: string, small: string, pause: number) {
    this.all = [...downloads(url, token), ...connections(url, small)];
    this.repetitions = this.all.map((one) => new Repetition(() => this.record(one), pause));
  }

  /** The only permitted outcome of each client. */
  get expected(): Record<string, Record<string, unknown>> {
    return Object.fromEntries(this.all.map(({ name, expected }) => [name, { [expected]: expect.any(Number) }]));
  }

  /** Resolves when all clients have disconnected. */
  async stop(): Promise<void> {
    await Promise.all(this.repetitions.map((repetition) => repetition.stop()));
  }

  private async record({ name, once }: Nuisance): Promise<void> {
    const outcome = await once().catch((error: Error) => error.message);
    const counts = (this.outcomes[name] ??= {});
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
}

/** Each client has one download at a time. Together they stay within the share of a customer. */
function downloads(url: string, token: string): Nuisance[] {
  const begin = (header?: string) => SlowDownload.begin(url, '/products', token, '1.1', header);
  const disconnecting = async (header?: string) => {
    const download = await begin(header);
    await sleep(PAUSE_MS);
    download.abort();
    return String(download.status);
  };
  return [
    { name: 'disconnects in mid-response', once: () => disconnecting(), expected: '200' },
    { name: 'disconnects in mid-response, gzip', once: () => disconnecting('Accept-Encoding: gzip'), expected: '200' },
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
      name: 'stops reading',
      expected: 'aborted',
      once: async () => {
        const download = await begin();
        await sleep(STALLED_MS);
        return (await download.isAborted()) ? 'aborted' : 'all of it';
      },
    },
    {
      name: 'closes its sending side',
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
  const responding = (name: string, text: string, expected: string) => ({ name, expected, once: () => ask(url, text) });
  const disconnecting = (name: string, pieces: string[]) => ({
    name,
    expected: 'disconnected',
    once: () => sendAndDisconnect(url, pieces),
  });
  return [
    responding('sends garbage', GARBAGE, '400'),
    { name: 'sends garbage, and continues', expected: '400', once: () => ask(url, GARBAGE, true) },
    responding('sends too large headers', `${get}X-Large: ${'x'.repeat(20_000)}\r\n\r\n`, '431'),
    responding('sends two hosts', `${get}Host: y\r\nConnection: close\r\n\r\n`, '400'),
    responding('pipelines, then closes', `${get}\r\n`.repeat(PIPELINED - 1) + `${get}Connection: close\r\n\r\n`, '200'),
    disconnecting('sends nothing', ['']),
    disconnecting('sends headers slowly', [...get].map(String)),
    disconnecting('sends half a form', [`${form}Content-Length: 100\r\n\r\ngrant_type=`]),
    disconnecting('pipelines, then disconnects', [`${get}\r\n`.repeat(PIPELINED)]),
  ];
}

/**
 * Sends a text, and reads until the service closes the connection.
 * @param continues whether the client keeps its own side open and continues to send
 * @returns the status of the first response
 */
function ask(url: string, text: string, continues = false): Promise<string> {
  return new Promise((resolve) => {
    let status = '';
    const socket = connectTo(url, continues, () => socket.write(text, 'latin1'));
    socket.on('data', (piece: Buffer) => (status ||= piece.toString('latin1', 9, 12)));
    const sending = continues ? setInterval(() => socket.write('x'), PAUSE_MS) : undefined;
    socket
      .on('error', () => undefined)
      .on('close', () => {
        clearInterval(sending);
        resolve(status || 'no response');
      });
  });
}

/** Sends a text piece by piece, reads nothing, and resets the connection after a while. */
async function sendAndDisconnect(url: string, pieces: readonly string[]): Promise<string> {
  let outcome = 'disconnected';
  const socket = connectTo(url, false).on('error', ({ message }) => (outcome = message));
  for (const piece of pieces) {
    socket.write(piece);
    await sleep(IDLE_MS / pieces.length);
  }
  socket.resetAndDestroy();
  return outcome;
}

function connectTo(url: string, allowHalfOpen: boolean, connected?: () => void) {
  const { hostname, port } = new URL(url);
  return connect({ host: hostname, port: Number(port), allowHalfOpen }, connected);
}
