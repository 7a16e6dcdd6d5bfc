import { createHash } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ReceivedResponse, call, type Call } from './http-call.js';
import { Repetition } from './repetition.js';

const PAUSE_MS = 300;

/** Clients that poll repeatedly, and record every unexpected response. */
export class ClientFleet {
  readonly failures: string[] = [];
  /** The durations of requests with the expected response in milliseconds, by kind of client. */
  readonly times: Record<string, number[]> = {};
  /**
   * The number of retried requests. As every HTTP client does, these clients retry a request if the server closes the
   * idle connection at that moment.
   */
  repeated = 0;
  /** Responses that clients are reading slowly, with their start in milliseconds of `performance.now()`. */
  readonly open = new Set<{ upstream: string; since: number }>();
  private readonly clients: Repetition[] = [];
  private readonly agents: Agent[] = [];

  constructor(private readonly url: string) {}

  get size(): number {
    return this.clients.length;
  }

  /**
   * Adds clients that each keep one connection.
   * @param problem returns the problem of a response, or undefined
   */
  polling(
    kind: string,
    count: number,
    calls: readonly Call[],
    problem: (response: ReceivedResponse) => string | undefined,
  ): void {
    for (let client = 0; client < count; client++) {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      this.agents.push(agent);
      let turn = 0;
      this.add(kind, async () => problem(await this.withRetry({ agent, ...calls[turn++ % calls.length] })));
    }
  }

  /**
   * Adds one client per request, each of which takes the given time to read a response with this size and digest. Their
   * starts are spread evenly.
   */
  reading(kind: string, calls: readonly Call[], seconds: number, bytes: number, digest: string): void {
    for (const [index, one] of calls.entries()) {
      const once = async () => {
        const response = await this.slowly(one, bytes / seconds);
        return response.status === 200 && response.digest === digest
          ? undefined
          : `${response.status}, ${response.size} of ${bytes} bytes`;
      };
      this.add(kind, once, (index / calls.length) * seconds * 1000);
    }
  }

  /** Resolves when all clients have received their last response. */
  async stop(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.stop()));
    for (const agent of this.agents) agent.destroy();
  }

  /**
   * Adds a client.
   * @param once resolves with the problem of a response, or undefined
   * @param delay milliseconds before the first request
   */
  private add(kind: string, once: () => Promise<string | undefined>, delay = 0): void {
    const timed = async () => {
      const start = performance.now();
      const problem = await once().catch((error: Error) => error.message || String(error));
      if (problem) this.failures.push(`${kind}: ${problem}`);
      else (this.times[kind] ??= []).push(performance.now() - start);
    };
    this.clients.push(new Repetition(timed, PAUSE_MS, delay + Math.random() * PAUSE_MS));
  }

  /**
   * A request without a response on a connection that was idle before may be retried, except for a POST (RFC 9110
   * §9.2.2).
   */
  private withRetry(one: Call): Promise<ReceivedResponse> {
    return call(this.url, one).catch((error: Error & { reused?: boolean }) => {
      if (!error.reused || one.method === 'POST') throw error;
      this.repeated++;
      return call(this.url, one);
    });
  }

  private slowly({ token, ...one }: Call, bytesPerSecond: number) {
    return new Promise<{ status: number; size: number; digest: string }>((resolve, reject) => {
      const headers = { Authorization: `Bearer ${token}` };
      request(this.url + one.path, { headers, agent: false }, async (incoming) => {
        const hash = createHash('sha256');
        const start = performance.now();
        const download = { upstream: String(incoming.headers['x-upstream']), since: start };
        this.open.add(download);
        let size = 0;
        try {
          for await (const piece of incoming as AsyncIterable<Buffer>) {
            hash.update(piece);
            size += piece.length;
            const due = start + (size / bytesPerSecond) * 1000;
            await sleep(Math.max(0, due - performance.now()));
          }
          resolve({ status: incoming.statusCode!, size, digest: hash.digest('hex') });
        } catch (error) {
          reject(new Error(`${incoming.statusCode}, aborted after ${size} bytes: ${(error as Error).message}`));
        } finally {
          this.open.delete(download);
        }
      })
        .on('error', reject)
        .end();
    });
  }
}
