import type { Request } from 'express';
import { SymbolProperty } from './symbol-property.js';

/** The parent of a request in a trace, from the header `traceparent` (W3C Trace Context). */
export interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The span of the caller: 16 hexadecimal digits. */
  readonly spanId: string;
  /** Whether the caller records the trace. */
  readonly sampled: boolean;
}

/** Version, trace ID, span ID and flags. */
const TRACEPARENT = /^([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})($|-)/;

/** The lowest bit of the flags. */
const SAMPLED = 1;

/**
 * Parses a `traceparent` header. Returns undefined if it is missing or not valid, because a caller's mistake in a trace
 * must not change its response.
 */
export function parseTraceparent(header: string | undefined): TraceParent | undefined {
  const [, version, traceId, spanId, flags, further] = TRACEPARENT.exec(header ?? '') ?? [];
  // Version 00 has no further fields. Version ff is forbidden.
  if (!version || version === 'ff' || (version === '00' && further)) return undefined;
  return { traceId: traceId!, spanId: spanId!, sampled: (Number.parseInt(flags!, 16) & SAMPLED) > 0 };
}

/** A request whose trace is known. */
interface Traced {
  readonly traceId?: string;
}

const traces = new SymbolProperty<Request, Traced>('trace');

/** Keeps the trace of a request for {@link traceIdOf}, which reads the ID later. */
export function keepTrace(request: Request, traced: Traced): void {
  traces.set(request, traced);
}

/** Returns the trace ID of a request, for log lines. Undefined if the request is in no trace. */
export function traceIdOf(request: Request): string | undefined {
  return traces.get(request)?.traceId;
}
