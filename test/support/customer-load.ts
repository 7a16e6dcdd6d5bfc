import { Agent } from 'node:http';
import { type Kind, outcomeOf } from './customer-calls.js';
import { call } from './http-call.js';
import { Repetition } from './repetition.js';

/** One call and what became of it; times in milliseconds. */
export interface Sample {
  readonly kind: Kind;
  readonly begun: number;
  readonly ended: number;
  readonly outcome: string;
}

/** Calls of each kind one after the other, all kinds side by side, until it is stopped. */
export class CustomerLoad {
  readonly samples: Sample[] = [];
  private readonly agent = new Agent({ keepAlive: true });
  private readonly callers: Repetition[];

  /** @param pause milliseconds between an answer and the next call of its kind */
  constructor(
    readonly kinds: readonly Kind[],
    pause: number,
  ) {
    this.callers = kinds.map((kind) => new Repetition(() => this.once(kind), pause));
  }

  /** Resolves when the last answer is there. */
  async stop(): Promise<void> {
    await Promise.all(this.callers.map((caller) => caller.stop()));
    this.agent.destroy();
  }

  private async once(kind: Kind): Promise<void> {
    const begun = performance.now();
    const response = await call(kind.url, { agent: this.agent, ...kind.call }).catch((error: Error) => error);
    this.samples.push({ kind, begun, ended: performance.now(), outcome: outcomeOf(kind, response) });
  }
}
