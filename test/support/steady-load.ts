import { Agent } from 'node:http';
import { call, type Call } from './http-call.js';

const EVERY_MS = 10;

/** One request each 10 ms to each of the addresses, whether or not earlier ones are answered, until it is stopped. */
export class SteadyLoad {
  private readonly agent = new Agent({ keepAlive: true });
  private readonly pending: Promise<void>[] = [];
  private readonly timer: NodeJS.Timeout;
  private readonly seen = new Map<string, { status: number; took: number }[]>();

  constructor(urls: readonly string[], request: Call) {
    for (const url of urls) this.seen.set(url, []);
    this.timer = setInterval(() => {
      for (const url of urls) this.pending.push(this.send(url, request));
    }, EVERY_MS);
  }

  /** Resolves when the last answer is there. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.pending);
    this.agent.destroy();
  }

  /** What was answered at these addresses so far: each status, and the longest wait in milliseconds. */
  outcome(...urls: string[]): { responses: number; statuses: number[]; longest: number } {
    const all = urls.flatMap((url) => this.seen.get(url)!);
    return {
      responses: all.length,
      statuses: [...new Set(all.map(({ status }) => status))],
      longest: Math.max(0, ...all.map(({ took }) => took)),
    };
  }

  private async send(url: string, request: Call): Promise<void> {
    const start = performance.now();
    // A connection that breaks is an answer too: status 0.
    const status = await call(url, { ...request, agent: this.agent }).then(
      (response) => response.status,
      () => 0,
    );
    this.seen.get(url)!.push({ status, took: performance.now() - start });
  }
}
