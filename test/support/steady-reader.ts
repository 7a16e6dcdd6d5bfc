import { call } from './http-call.js';
import { Repetition } from './repetition.js';

const PATHS = ['/products', '/prices', '/stock', '/health'];
const PAUSE_MS = 50;

/** The number of versions that are recorded. Recording more versions would not help to find a fault. */
const MOST_NOTED = 10;

/** The observations of a reader, from its first to its last response. */
export interface Seen {
  /** The versions of the responses in order, without repetitions. A response of no known version is described. */
  versions: string[];
  responses: number;
  /** The longest response time, in milliseconds. */
  longest: number;
}

/** The responses that a service may return for a few known states of its data, byte by byte. */
export class KnownResponses {
  private readonly versions = new Map<string, string>();

  constructor(
    private readonly url: string,
    private readonly token: string,
  ) {}

  /**
   * Records the present responses of the service as the responses of this version.
   * @throws if a status is not 200
   */
  async learn(version: string): Promise<void> {
    for (const path of PATHS) {
      const response = await this.response(path);
      if (!response.startsWith(`${path}: 200 `)) throw new Error(response.slice(0, 300));
      // A response that is the same in several versions identifies none.
      this.versions.set(response, this.versions.has(response) ? '' : version);
    }
  }

  /** The number of different known responses. */
  get size(): number {
    return this.versions.size;
  }

  /** Starts to poll all paths. */
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

  /** Polls all paths once more, then stops. */
  async stop(): Promise<Seen> {
    await this.passes.stop();
    await this.read();
    return this.seen;
  }

  private async read(): Promise<void> {
    const { seen, times } = await this.pass();
    for (const version of seen) this.record(version);
    this.seen.responses += seen.length;
    this.seen.longest = Math.max(this.seen.longest, ...times);
  }

  private record(version: string): void {
    const { versions } = this.seen;
    if (version && version !== versions.at(-1) && versions.length < MOST_NOTED) versions.push(version);
  }
}
