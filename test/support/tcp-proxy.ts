import { connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy before the database, so that it can come, go and come back at one address. */
export class TcpProxy {
  private server?: Server;
  private readonly sockets = new Set<Socket>();
  private port = 0;
  private hanging = false;
  private lastWords?: string;
  constructor(private readonly target: string) {}

  /** The database's URL through this proxy, which does not listen yet. */
  async reservedUrl(): Promise<string> {
    const probe = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => probe.once('listening', resolve));
    this.port = (probe.address() as { port: number }).port;
    await new Promise((resolve) => probe.close(resolve));
    const url = new URL(this.target);
    url.port = String(this.port);
    return url.href;
  }

  async open(): Promise<void> {
    const { hostname, port } = new URL(this.target);
    this.server = createServer((inbound) => {
      const outbound = connect(Number(port || 3306), hostname);
      for (const socket of [inbound, outbound]) this.sockets.add(socket.on('error', () => undefined));
      inbound.pipe(outbound).pipe(inbound);
      inbound.on('data', (chunk) => this.lastWords && chunk.includes(this.lastWords) && this.partAfter(outbound));
      if (this.hanging) for (const socket of [inbound, outbound]) socket.pause();
    }).listen(this.port, '127.0.0.1');
    await new Promise((resolve) => this.server!.once('listening', resolve));
  }

  /** Passes nothing on any more, in either direction, and yet keeps every connection. */
  hang(): void {
    this.hanging = true;
    for (const socket of this.sockets) socket.pause();
  }

  resume(): void {
    this.hanging = false;
    for (const socket of this.sockets) socket.resume();
  }

  /** Breaks every connection; new ones may come. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
    this.sockets.clear();
  }

  /** Breaks every connection once the target got the next message that holds the text, whose answer is lost. */
  cutAfter(text: string): void {
    this.lastWords = text;
  }

  close(): void {
    this.server?.close();
    this.cut();
  }

  private partAfter(outbound: Socket): void {
    this.lastWords = undefined;
    this.sockets.delete(outbound);
    outbound.unpipe().resume().end();
    this.cut();
  }
}
