import { Agent } from 'node:http';
import { call, type Call } from './http-call.js';

const EVERY_MS = 10;

/** Sends one request each 10 ms to each URL, whether or not earlier ones have a response, until it is stopped. */
export class SteadyLoad {
  private readonly agent = new Agent({ keepAlive: true });
  private readonly pending: Promise<void>[] = [];
  private readonly timer: NodeJS.Timeout;
  private readonly seen = new Map<string, { status: number; duration: number }[]>();

  constructor(urls: readonly string[], request: Call) {
    for (const url of urls) this.seen.set(url, []);
    this.timer = setInterval(() => {
      for (const url of urls) this.pending.push(this.send(url, request));
    }, EVERY_MS);
  }

  /** Resolves when the last response has arrived. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.pending);
    this.agent.destroy();
  }

  /** Summarizes the responses of these URLs so far: their statuses, and the longest response time in milliseconds. */
  outcome(...urls: string[]): { responses: number; statuses: number[]; longest: number } {
    const all = urls.flatMap((url) => this.seen.get(url)!);
    return {
      responses: all.length,
      statuses: [...new Set(all.map(({ status }) => status))],
      longest: Math.max(0, ...all.map(({ duration }) => duration)),
    };
  }

  private async send(url: string, request: Call): Promise<void> {
    const start = performance.now();
    // A broken connection counts as a response with status 0.
    const status = await call(url, { ...request, agent: this.agent }).then(
      (response) => response.status,
      () => 0,
    );
    this.seen.get(url)!.push({ status, duration: performance.now() - start });
  }
}
