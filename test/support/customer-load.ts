import { Agent } from 'node:http';
import { type Kind, outcomeOf } from './customer-calls.js';
import { call } from './http-call.js';
import { Repetition } from './repetition.js';

/** A request and its outcome. Times are in milliseconds of `performance.now()`. */
export interface Sample {
  readonly kind: Kind;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly outcome: string;
}

/** Sends requests of each kind one after the other, and all kinds in parallel, until it is stopped. */
export class CustomerLoad {
  readonly samples: Sample[] = [];
  private readonly agent = new Agent({ keepAlive: true });
  private readonly callers: Repetition[];

  /** @param pause milliseconds between a response and the next request of the same kind */
  constructor(
    readonly kinds: readonly Kind[],
    pause: number,
  ) {
    this.callers = kinds.map((kind) => new Repetition(() => this.once(kind), pause));
  }

  /** Resolves when the last response has arrived. */
  async stop(): Promise<void> {
    await Promise.all(this.callers.map((caller) => caller.stop()));
    this.agent.destroy();
  }

  private async once(kind: Kind): Promise<void> {
    const startedAt = performance.now();
    const response = await call(kind.url, { agent: this.agent, ...kind.call }).catch((error: Error) => error);
    this.samples.push({ kind, startedAt, endedAt: performance.now(), outcome: outcomeOf(kind, response) });
  }
}
