import { applied, deltaSince, type KeptState, sorted, wholeState } from './change-oracle.js';
import { CHANGING } from './data-endpoints.js';
import type { TestService } from './test-service.js';

/** A client that keeps every state it receives, and checks that a delta turns each of them into the current state. */
export class ChangeReader {
  private readonly kept = new Map<string, KeptState[]>(CHANGING.map((path) => [path, []]));

  constructor(
    private readonly service: TestService,
    private readonly token: string,
  ) {}

  /** Reads everything, and applies the delta to each earlier state. @throws if a result is not the current state */
  async read(step = ''): Promise<void> {
    for (const [path, states] of this.kept) {
      const present = await wholeState(this.service, path, this.token);
      for (const [index, state] of [...states].entries()) {
        const delta = await deltaSince(this.service, path, this.token, state.etag);
        const after = applied(state, delta);
        const [got, whole] = [after, present].map((one) => JSON.stringify(sorted(one)));
        if (got !== whole)
          throw new Error(`${step}: from state ${index}, ${path}/changes leads to ${got}, not ${whole}`);
        if (delta && index === 0) states.push(after);
      }
      states.push(present);
    }
  }
}
