import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.mjs';

/** Whether anything is passed on; what came meanwhile is passed on later. */
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

/** A TCP proxy before a server, so that at one address it can come, go, hang, be slow, and come back elsewhere. */
export class TcpProxy {
  /** Milliseconds that everything takes longer, in either direction. */
  delay = 0;
  private server?: Server;
  private readonly sockets = new Set<Socket>();
  private gate = new Gate();
  private port = 0;
  /** What is looked for in the messages to the target, and what happens once one that holds it was handed on. */
  private awaited?: { text: string; act: (outbound: Socket) => void };
  /** Flows that were idle for this long are forgotten, as firewalls do, in milliseconds. */
  forgetsAfter = Infinity;
  /** Whether a message on a forgotten flow is dropped without a sign, or resets the connection to the client. */
  responsesForgotten: 'nothing' | 'reset' = 'nothing';
  /** How many flows have been forgotten. */
  forgotten = 0;

  constructor(private target: string) {}

  /** The server's URL through this proxy, which does not listen yet. */
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

  /** Passes nothing on any more, in either direction, and yet keeps every connection. */
  hang(): void {
    this.gate.close();
  }

  resume(): void {
    this.gate.open();
  }

  /** Leads new connections to another server; those that are there stay as they are, hanging ones for ever. */
  moveTo(target: string): void {
    this.target = target;
    this.gate = new Gate();
  }

  /** Resets every connection; new ones may come. */
  cut(): void {
    for (const socket of this.sockets) reset(socket);
    this.sockets.clear();
  }

  /**
   * Resets every connection once the target got the next message that holds the text, whose answer is lost.
   * @param forGood lets no new connection in from then on
   */
  cutAfter(text: string, forGood = false): void {
    const act: NonNullable<typeof this.awaited>['act'] = (outbound) => {
      if (forGood) this.refuse();
      return this.partAfter(outbound);
    };
    this.awaited = { text, act };
  }

  /** Hangs once the target got the next message that holds the text. @returns resolves then */
  hangAfter(text: string): Promise<void> {
    return new Promise((resolve) => {
      const act = () => {
        this.hang();
        resolve();
      };
      this.awaited = { text, act };
    });
  }

  /** Lets no new connection in; those that are there stay. */
  refuse(): void {
    this.server?.close();
  }

  close(): void {
    this.refuse();
    this.cut();
  }

  private join(inbound: Socket): void {
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
   * Watches a new flow. @returns a function to call for each message: true if the flow was forgotten before it, so that
   * the message is dropped without a sign
   */
  private watchIdle(): () => boolean {
    let last = performance.now();
    let gone = false;
    return () => {
      const now = performance.now();
      if (!gone && now - last > this.forgetsAfter) {
        gone = true;
        this.forgotten++;
      }
      last = now;
      return gone;
    };
  }

  /** Hands on what comes, and in the end the end, in order. */
  private pass(from: Socket, to: Socket, gate: Gate, hand: (chunk: Buffer) => void): void {
    let last: Promise<void> = Promise.resolve();
    const later = (work: () => void) => {
      const due = Promise.all([last, this.delay ? sleep(this.delay) : undefined]);
      last = due.then(() => gate.opened).then(work);
    };
    from.on('data', (chunk) => later(() => hand(chunk)));
    from.on('close', (broken) => later(() => (broken ? reset(to) : to.destroySoon())));
  }

  private partAfter(outbound: Socket): void {
    this.sockets.delete(outbound);
    outbound.end();
    this.cut();
  }
}

/** One that is being ended cannot be reset: Node would never close it, and not come to its own end. */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
