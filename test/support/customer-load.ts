import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Kind, outcomeOf } from './customer-calls.js';
import { call } from './http-call.js';

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
  private readonly loops: Promise<void>[];
  private stopping = false;

  /** @param pause milliseconds between an answer and the next call of its kind */
  constructor(
    readonly kinds: readonly Kind[],
    private readonly pause: number,
  ) {
    this.loops = kinds.map((kind) => this.repeat(kind));
  }

  /** Resolves when the last answer is there. */
  async stop(): Promise<void> {
    this.stopping = true;
    await Promise.all(this.loops);
    this.agent.destroy();
  }

  private async repeat(kind: Kind): Promise<void> {
    for (; !this.stopping; await sleep(this.pause)) {
      const begun = performance.now();
      const answer = await call(kind.url, { agent: this.agent, ...kind.call }).catch((error: Error) => error);
      this.samples.push({ kind, begun, ended: performance.now(), outcome: outcomeOf(kind, answer) });
    }
  }
}
