import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel';
import type { Sampling } from '../config/trace-settings.js';
import { PHASE_CHANNEL } from '../download/phase.js';
import { requestChannel, type TracedRequest } from '../telemetry/request-channel.js';
import {
  describeCommand,
  describeConnect,
  describePhase,
  describePoolWait,
  describeQuery,
  describeRequest,
} from './descriptions.js';
import type { Span, SpanDescription } from './span.js';

/** Spans below one request. A large download reads hundreds of batches. */
const MAX_CHILDREN = 100;

/** The channels whose work belongs to a request, with the description of their messages. */
const CHANNELS: Readonly<Record<string, (message: never) => SpanDescription>> = {
  [PHASE_CHANNEL]: describePhase,
  'mysql2:query': describeQuery,
  'mysql2:execute': describeQuery,
  'mysql2:connect': describeConnect,
  'mysql2:pool:connect': describePoolWait,
  'ioredis:command': describeCommand,
};

/** A span whose work has not ended. */
interface OpenSpan extends Pick<Span, 'traceId' | 'spanId' | 'parentId' | 'isParentRemote' | 'startedAt'> {
  readonly request: OpenRequest;
}

/** What the spans of a request share. */
interface OpenRequest {
  /** The time of day minus the monotonic time at the start, in milliseconds. Later steps of the clock move no span. */
  readonly clock: number;
  children: number;
  /** Spans that were not recorded. */
  omitted: number;
  /** Work that starts later does not belong to the request, even if it inherits its context. */
  hasEnded: boolean;
}

/**
 * Makes spans of what the service, mysql2 and ioredis publish: one of each request, and below it one of each phase,
 * statement and command. Work outside of a request, such as a probe, makes none.
 */
export class TraceRecorder {
  private readonly current = new AsyncLocalStorage<OpenSpan | undefined>();
  private readonly undo: (() => void)[] = [];

  /**
   * @param record receives each finished span
   * @param onError receives an error of this class. It must not reach the publisher, where it would end the process.
   */
  constructor(
    private readonly sampling: Sampling,
    private readonly record: (span: Span) => void,
    private readonly onError: (error: unknown) => void,
  ) {}

  start(): void {
    this.observe<TracedRequest>(requestChannel, {
      open: (message) => this.openRequest(message),
      close: (span, message) => this.closeRequest(span, message),
    });
    for (const [name, describe] of Object.entries(CHANNELS))
      this.observe<Failed>(tracingChannel(name), {
        open: () => this.openChild(),
        close: (span, message) => this.close(span, withError(describe(message as never), message)),
      });
  }

  stop(): void {
    for (const undo of this.undo.splice(0)) undo();
  }

  private observe<M extends object>(
    channel: TracingChannel<unknown, M>,
    { open, close }: { open(message: M): OpenSpan | undefined; close(span: OpenSpan, message: M): void },
  ): void {
    const spans = new WeakMap<object, OpenSpan>();
    const begin = (message: M) => {
      const span = this.safely(() => open(message));
      if (span && span !== this.current.getStore()) spans.set(message, span);
      return span;
    };
    const end = (message: unknown) => {
      const span = spans.get(message as M);
      if (span) this.safely(() => close(span, message as M));
    };
    channel.start.bindStore(this.current, begin);
    channel.asyncEnd.subscribe(end);
    this.undo.push(() => {
      channel.start.unbindStore(this.current);
      channel.asyncEnd.unsubscribe(end);
    });
  }

  /** Returns undefined if the request is not sampled. It must not inherit the span of another request. */
  private openRequest(message: TracedRequest): OpenSpan | undefined {
    const { parent } = message;
    const traceId = parent?.traceId ?? randomId(16);
    const isSampled = parent && this.sampling.followsParent ? parent.sampled : isWithin(traceId, this.sampling.ratio);
    if (!isSampled) return undefined;
    message.traceId = traceId;
    const now = performance.now();
    const request = { clock: Date.now() - now, children: 0, omitted: 0, hasEnded: false };
    return {
      traceId,
      spanId: randomId(8),
      parentId: parent?.spanId,
      isParentRemote: Boolean(parent),
      startedAt: now,
      request,
    };
  }

  private closeRequest(span: OpenSpan, message: TracedRequest): void {
    span.request.hasEnded = true;
    const { attributes, ...others } = describeRequest(message);
    const omitted = span.request.omitted || undefined;
    this.close(span, { ...others, attributes: { ...attributes, 'customer_data.spans.omitted': omitted } });
  }

  /** Opens a span below the current one. Returns the current one if the new one is not recorded. */
  private openChild(): OpenSpan | undefined {
    const parent = this.current.getStore();
    if (!parent || parent.request.hasEnded) return parent;
    const { request, traceId, spanId: parentId } = parent;
    if (request.children >= MAX_CHILDREN) {
      request.omitted++;
      return parent;
    }
    request.children++;
    return { traceId, spanId: randomId(8), parentId, isParentRemote: false, startedAt: performance.now(), request };
  }

  private close({ request, startedAt, ...ids }: OpenSpan, description: SpanDescription): void {
    const { clock } = request;
    this.record({ ...ids, ...description, startedAt: startedAt + clock, endedAt: performance.now() + clock });
  }

  private safely<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      this.onError(error);
      return undefined;
    }
  }
}

/** The error that a tracing channel adds to the message of failed work. */
interface Failed {
  error?: unknown;
}

/** Takes only the kind of an error, because messages of databases contain values. */
function withError(description: SpanDescription, { error }: Failed): SpanDescription {
  if (error === undefined || error === null) return description;
  const { code, name } = error as Partial<NodeJS.ErrnoException>;
  return { ...description, errorType: String(code ?? name ?? 'unknown') };
}

/** Whether a trace belongs to this part of all traces. All replicas decide alike, because they compare the ID. */
function isWithin(traceId: string, ratio: number): boolean {
  return Number.parseInt(traceId.slice(-13), 16) >= (1 - ratio) * 2 ** 52;
}

function randomId(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}
