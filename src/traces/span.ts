/** Values of attributes. An undefined value is left out. */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** The numbers of OTLP for the kinds of spans. */
export const SPAN_KIND = { internal: 1, server: 2, client: 3 } as const;

/** What a span says about its work. */
export interface SpanDescription {
  readonly name: string;
  readonly kind: (typeof SPAN_KIND)[keyof typeof SPAN_KIND];
  readonly attributes: Attributes;
  /** The kind of the error, such as a status or an error code. Undefined if the work succeeded. */
  readonly errorType?: string;
}

/** A finished span of a trace. */
export interface Span extends SpanDescription {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Undefined for the first span of a trace. */
  readonly parentId?: string;
  /** Whether the parent is a span of another program. */
  readonly isParentRemote: boolean;
  /** In milliseconds since 1970, with fractions. */
  readonly startedAt: number;
  readonly endedAt: number;
}
