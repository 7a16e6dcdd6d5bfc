import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.mjs';

/** Lets messages pass while it is open. Messages that arrive while it is closed pass when it opens. */
class Gate {
  opened = Promise.resolve();
  private let: () => void = () => undefined;

  close(): void {
    this.opened = new Promise((resolve) => (this.let = resolve));
  }

  open(): void {
    this.let();
  }
}

/**
 * A TCP proxy in front of a server. Through it, tests can make the server stop, return, hang, become slow or move, at
 * the same address.
 */
export class TcpProxy {
  /** Milliseconds by which every message is delayed, in either direction. */
  delay = 0;
  private server?: Server;
  private readonly sockets = new Set<Socket>();
  private gate = new Gate();
  private port = 0;
  /** The text to find in the messages to the target, and the action after a message with this text was forwarded. */
  private awaited?: { text: string; act: (outbound: Socket) => void };
  /** Connections that were idle for this many milliseconds are forgotten, as firewalls do. */
  forgetsAfter = Infinity;
  /** Whether a message on a forgotten connection is dropped silently, or resets the connection to the client. */
  responsesForgotten: 'nothing' | 'reset' = 'nothing';
  /** The number of forgotten connections. */
  forgotten = 0;
  /** The number of connections that clients have opened so far. */
  accepted = 0;
  /** The number of chunks that clients have sent so far, including those that wait while the proxy hangs. */
  chunksSent = 0;

  constructor(private target: string) {}

  /** Reserves a port, and returns the server's URL through this proxy, which does not listen yet. */
  async reservedUrl(): Promise<string> {
    this.port = await freePort();
    const url = new URL(this.target);
    url.port = String(this.port);
    return url.href;
  }

  async open(): Promise<void> {
    this.server = createServer({ noDelay: true }, (inbound) => this.join(inbound)).listen(this.port, '127.0.0.1');
    await new Promise((resolve) => this.server!.once('listening', resolve));
  }

  /** Stops passing messages in either direction, but keeps every connection. */
  hang(): void {
    this.gate.close();
  }

  resume(): void {
    this.gate.open();
  }

  /**
   * Sends new connections to another server. Existing connections do not change: a connection that hangs hangs forever.
   */
  moveTo(target: string): void {
    this.target = target;
    this.gate = new Gate();
  }

  /** Resets every connection, but accepts new ones. */
  cut(): void {
    for (const socket of this.sockets) reset(socket);
    this.sockets.clear();
  }

  /**
   * Resets every connection after the target has received the next message with the text. The response is lost.
   * @param permanently whether new connections are refused from then on
   */
  cutAfter(text: string, permanently = false): void {
    const act: NonNullable<typeof this.awaited>['act'] = (outbound) => {
      if (permanently) this.refuse();
      return this.partAfter(outbound);
    };
    this.awaited = { text, act };
  }

  /**
   * Hangs after the target has received the next message with the text.
   * @returns a promise that resolves then
   */
  hangAfter(text: string): Promise<void> {
    return new Promise((resolve) => {
      const act = () => {
        this.hang();
        resolve();
      };
      this.awaited = { text, act };
    });
  }

  /** Refuses new connections, but keeps existing ones. */
  refuse(): void {
    this.server?.close();
  }

  close(): void {
    this.refuse();
    this.cut();
  }

  private join(inbound: Socket): void {
    this.accepted++;
    inbound.on('data', () => this.chunksSent++);
    const { hostname, port } = new URL(this.target);
    const outbound = connect({ host: hostname, port: Number(port || 3306), noDelay: true });
    for (const socket of [inbound, outbound]) {
      this.sockets.add(socket.on('error', () => undefined));
      socket.on('close', () => this.sockets.delete(socket));
    }
    const { gate } = this;
    const isForgotten = this.watchIdle();
    this.pass(inbound, outbound, gate, (chunk) => {
      if (isForgotten()) return this.responsesForgotten === 'reset' ? reset(inbound) : undefined;
      outbound.write(chunk);
      const { awaited } = this;
      if (!awaited || !chunk.includes(awaited.text)) return;
      this.awaited = undefined;
      awaited.act(outbound);
    });
    this.pass(outbound, inbound, gate, (chunk) => void (isForgotten() || inbound.write(chunk)));
  }

  /**
   * Watches a new connection.
   * @returns a function to call for each message: true if the connection was forgotten before it, so that the message
   * must be dropped
   */
  private watchIdle(): () => boolean {
    let last = performance.now();
    let isForgotten = false;
    return () => {
      const now = performance.now();
      if (!isForgotten && now - last > this.forgetsAfter) {
        isForgotten = true;
        this.forgotten++;
      }
      last = now;
      return isForgotten;
    };
  }

  /** Forwards the messages of one direction in order, then the end of the connection. */
  private pass(from: Socket, to: Socket, gate: Gate, forward: (chunk: Buffer) => void): void {
    let last: Promise<void> = Promise.resolve();
    const later = (work: () => void) => {
      const delayed = Promise.all([last, this.delay ? sleep(this.delay) : undefined]);
      last = delayed.then(() => gate.opened).then(work);
    };
    from.on('data', (chunk) => later(() => forward(chunk)));
    from.on('close', (broken) => later(() => (broken ? reset(to) : to.destroySoon())));
  }

  private partAfter(outbound: Socket): void {
    this.sockets.delete(outbound);
    outbound.end();
    this.cut();
  }
}

/**
 * Resets a socket. A socket that is being ended cannot be reset: Node would never close it, and the process would not
 * exit.
 */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
