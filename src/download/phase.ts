import { tracingChannel } from 'node:diagnostics_channel';

/**
 * A part of a download:
 * - `wait`: waits for a slot
 * - `open`: opens the snapshot, and reads the terms and the last SKU
 * - `begin`: makes the first piece of the body
 * - `read`: reads the rest, and sends it as far as the client keeps up
 * - `send`: sends what remains after the snapshot is closed, or a cached body
 */
type Phase = 'wait' | 'open' | 'begin' | 'read' | 'send';

/** What the service publishes about a part of a download. */
export interface TracedPhase {
  readonly phase: Phase;
}

export const PHASE_CHANNEL = 'customer-data:phase';

/** Publishes each part of a download. Without subscribers, publishing costs nothing. */
const phaseChannel = tracingChannel<unknown, TracedPhase>(PHASE_CHANNEL);

/** Does the work of a phase, and publishes its start, its end and its error. */
export function inPhase<T>(phase: Phase, work: () => Promise<T>): Promise<T> {
  return phaseChannel.hasSubscribers ? phaseChannel.tracePromise(work, { phase }) : work();
}
