import { type Attributes, type Span } from './span.js';

/** The number of OTLP for the status of a span that failed. */
const STATUS_ERROR = 2;
/** Flags of a sampled span whose parent is a span of this process (local) or of another program (remote). */
const FLAGS = { local: 0x101, remote: 0x301 };

interface KeyValue {
  key: string;
  value: { stringValue: string } | { intValue: string };
}

/** Returns the body of an OTLP/HTTP request as JSON. */
export function otlpPayload(spans: readonly Span[], resource: Attributes): string {
  const scopeSpans = [{ scope: { name: 'customer-data-service' }, spans: spans.map(otlpSpan) }];
  return JSON.stringify({ resourceSpans: [{ resource: { attributes: keyValues(resource) }, scopeSpans }] });
}

function otlpSpan({ attributes, errorType, ...span }: Span) {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentId,
    flags: span.isParentRemote ? FLAGS.remote : FLAGS.local,
    name: span.name,
    kind: span.kind,
    startTimeUnixNano: nanoseconds(span.startedAt),
    endTimeUnixNano: nanoseconds(span.endedAt),
    attributes: keyValues({ ...attributes, 'error.type': errorType }),
    status: errorType === undefined ? {} : { code: STATUS_ERROR },
  };
}

/** Nanoseconds since 1970 do not fit into a number, microseconds do. */
function nanoseconds(milliseconds: number): string {
  return `${Math.round(milliseconds * 1000)}000`;
}

function keyValues(attributes: Attributes): KeyValue[] {
  return Object.entries(attributes).flatMap(([key, value]) => {
    if (value === undefined) return [];
    return { key, value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value } };
  });
}
