import { connect } from 'node:net';
import { importFiles } from './import-files.js';
import type { TestDatabase } from './test-service.js';
const COUNT = 1500;
const PADDING = 'x'.repeat(9000);

/**
 * Loads a version with a `/products` response of 13 MB. That is far more than sockets buffer, so a client that stops
 * reading makes the service wait.
 */
export async function loadVersion(database: TestDatabase, version: 1 | 2): Promise<void> {
  await database.load(catalogueVersion(version));
  await database.sql('UPDATE products SET Description = ?', [PADDING]);
}

/**
 * Import files of a catalogue in which every product's name, price and the customer's discount show the version. A
 * response that mixes two versions is therefore detected.
 */
export function catalogueVersion(version: 1 | 2): Record<string, string> {
  const skus = Array.from({ length: COUNT }, (_, index) => `P-${String(index).padStart(5, '0')}`);
  const [price, discount] = version === 1 ? ['100', '10'] : ['125', '20'];
  return importFiles({
    'price_lists.csv': [['L', `Version ${version}`, 'EUR']],
    'warehouses.csv': [['W']],
    'products.csv': skus.map((sku) => [sku, `v${version}`]),
    'product_images.csv': skus.map((sku) => [sku, '1', `v${version}`, 'true']),
    'prices.csv': skus.map((sku) => ['L', sku, price, '1', '1', 'true']),
    'stock.csv': skus.map((sku) => ['W', sku, String(version)]),
    'customers.csv': [['C', 'Customer', 'L', 'W', discount]],
  });
}

/** The versions that the products of a response show. A consistent response shows a single version. */
export function versionsIn(text = ''): Set<string> {
  const products = JSON.parse(text) as Record<string, any>[];
  if (products.length !== COUNT) throw new Error(`${products.length} products`);
  return new Set(
    products.map(({ Name, ProductImages, ProductPrices: [price] }) =>
      [Name, ProductImages[0].FileName, price.PriceListName, price.PriceExclVAT].join('|'),
    ),
  );
}

export const VERSION_1 = 'v1|v1|Version 1|90';
export const VERSION_2 = 'v2|v2|Version 2|100';

/** A GET request over a bare socket that reads only on demand, like a slow client. */
export class SlowDownload {
  private readonly chunks: Buffer[] = [];
  private constructor(
    private readonly socket: ReturnType<typeof connect>,
    private readonly ended: Promise<'ended' | 'broken'>,
  ) {}

  /**
   * Sends the request. Resolves when the first bytes of the response have arrived; nothing more is read then.
   * @param header one additional header line
   */
  static async begin(
    url: string,
    path: string,
    token: string,
    version = '1.1',
    header = 'X-None: none',
  ): Promise<SlowDownload> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    const ended = new Promise<'ended' | 'broken'>((resolve) => {
      socket.on('end', () => resolve('ended')).on('error', () => resolve('broken'));
    });
    const download = new SlowDownload(socket, ended);
    socket.write(
      `GET ${path} HTTP/${version}\r\nHost: test\r\nAuthorization: Bearer ${token}\r\n${header}\r\nConnection: close\r\n\r\n`,
    );
    await new Promise<void>((resolve) => {
      socket.once('data', (chunk: Buffer) => {
        download.chunks.push(chunk);
        socket.pause();
        resolve();
      });
    });
    return download;
  }

  /** Everything that was read so far. */
  get text(): string {
    return Buffer.concat(this.chunks).toString();
  }

  get status(): number {
    return Number(this.chunks[0]!.toString().split(' ')[1]);
  }

  /** Reads at most the given number of further bytes. */
  take(bytes: number): void {
    const chunk = this.socket.read(bytes) as Buffer | null;
    if (chunk) this.chunks.push(chunk);
  }

  /**
   * Reads the rest.
   * @returns the body, or undefined if the client can detect that it is incomplete
   */
  async finish(): Promise<string | undefined> {
    this.socket.on('data', (chunk: Buffer) => this.chunks.push(chunk));
    this.socket.resume();
    if ((await this.ended) === 'broken') return undefined;
    const [head, ...rest] = Buffer.concat(this.chunks).toString().split('\r\n\r\n');
    const body = rest.join('\r\n\r\n');
    return /transfer-encoding: chunked/i.test(head!) ? dechunk(body) : body;
  }

  /**
   * Reads the rest, compressed or not.
   * @returns whether the client can detect that it is incomplete
   */
  async isAborted(): Promise<boolean> {
    this.socket.on('data', (chunk: Buffer) => this.chunks.push(chunk));
    this.socket.resume();
    return (await this.ended) === 'broken' || !this.chunks.at(-1)!.toString('latin1').endsWith('0\r\n\r\n');
  }

  /**
   * Reads the rest, not compressed.
   * @returns whether the client can detect that it is incomplete
   */
  async breaks(): Promise<boolean> {
    return (await this.finish()) === undefined;
  }

  /**
   * Whether a client without chunks can detect an aborted response by a reset of the connection. If Node reads the
   * reset together with the last bytes, it reports a normal end. This can happen in half of the attempts, so the test
   * downloads several times. A connection that the service closes normally never looks reset.
   */
  static async reset(begin: () => Promise<SlowDownload>): Promise<boolean> {
    for (let attempt = 0; attempt < 20; attempt++) if (await (await begin()).breaks()) return true;
    return false;
  }

  /** Whether the connection was reset. Detected without reading: the operating system then refuses to send. */
  isReset(): Promise<boolean> {
    return new Promise((resolve) => this.socket.write('x', (error) => resolve(Boolean(error))));
  }

  /** Sends more text on the same connection. */
  send(text: string): void {
    this.socket.write(text);
  }

  /** Closes the sending side of the connection. */
  closeSide(): void {
    this.socket.end();
  }

  abort(): void {
    this.socket.destroy();
  }
}

/** The payload of a chunked body of ASCII, or undefined if its last chunk is missing. */
function dechunk(body: string): string | undefined {
  const parts: string[] = [];
  for (let at = 0; ;) {
    const lineEnd = body.indexOf('\r\n', at);
    const size = lineEnd < 0 ? NaN : parseInt(body.slice(at, lineEnd), 16);
    if (Number.isNaN(size)) return undefined;
    if (size === 0) return parts.join('');
    parts.push(body.slice(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}
