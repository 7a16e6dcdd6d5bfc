import { call } from './http-call.js';
import { Repetition } from './repetition.js';

const PATHS = ['/products', '/prices', '/stock', '/health'];
const PAUSE_MS = 50;

/** As many versions are noted; nobody has to see more to know that something is wrong. */
const MOST_NOTED = 10;

/** What a reader saw, from its first answer to its last. */
export interface Seen {
  /** Whose answers they were, one after the other, without repetitions. An answer that nobody knows is described. */
  versions: string[];
  responses: number;
  /** Of the answers, in milliseconds. */
  longest: number;
}

/** Which answers a service may give: those of a few states of its data, byte by byte. */
export class KnownResponses {
  private readonly versions = new Map<string, string>();

  constructor(
    private readonly url: string,
    private readonly token: string,
  ) {}

  /** Takes what the service answers now as what it answers in this version. @throws unless all is 200 */
  async learn(version: string): Promise<void> {
    for (const path of PATHS) {
      const response = await this.response(path);
      if (!response.startsWith(`${path}: 200 `)) throw new Error(response.slice(0, 300));
      // What is the same in every version tells none.
      this.versions.set(response, this.versions.has(response) ? '' : version);
    }
  }

  /** How many different answers are known. */
  get size(): number {
    return this.versions.size;
  }

  /** Starts to read everything over and over. */
  read(): SteadyReader {
    return new SteadyReader(async () => {
      const times: number[] = [];
      const seen: string[] = [];
      for (const path of PATHS) {
        const start = performance.now();
        const response = await this.response(path);
        times.push(performance.now() - start);
        seen.push(this.versions.get(response) ?? `${response.slice(0, 150)}… of ${response.length} characters`);
      }
      return { seen, times };
    });
  }

  private async response(path: string): Promise<string> {
    const response = await call(this.url, { path, token: this.token }).catch((error: Error) => error);
    return `${path}: ${response instanceof Error ? response.message : `${response.status} ${response.body}`}`;
  }
}

/** Polls until it is stopped. */
export class SteadyReader {
  private readonly seen: Seen = { versions: [], responses: 0, longest: 0 };
  private readonly passes = new Repetition(() => this.read(), PAUSE_MS);

  constructor(private readonly pass: () => Promise<{ seen: string[]; times: number[] }>) {}

  /** Reads everything once more, and stops. */
  async stop(): Promise<Seen> {
    await this.passes.stop();
    await this.read();
    return this.seen;
  }

  private async read(): Promise<void> {
    const { seen, times } = await this.pass();
    for (const version of seen) this.note(version);
    this.seen.responses += seen.length;
    this.seen.longest = Math.max(this.seen.longest, ...times);
  }

  private note(version: string): void {
    const { versions } = this.seen;
    if (version && version !== versions.at(-1) && versions.length < MOST_NOTED) versions.push(version);
  }
}
