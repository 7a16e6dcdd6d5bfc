import { oneAtATime } from '../database/deadline.js';
import type { TraceSettings } from '../config/trace-settings.js';
import { otlpPayload } from './otlp-payload.js';
import type { Span } from './span.js';

/** Spans that wait for an export. Further spans are dropped. About 2 MB. */
const MAX_QUEUED = 2048;
/** Spans in one export. Making the JSON of so few takes about a millisecond. */
const BATCH = 256;
/** Time between two exports, in milliseconds. */
const PAUSE_MS = 5000;
/** How long one export may take, in milliseconds. */
const TIMEOUT_MS = 10_000;
/** Statuses after which an export is repeated (OTLP/HTTP). After any other error, its spans are dropped. */
const REPEATED = new Set([429, 502, 503, 504]);

/** Logs problems of traces. */
export interface TraceLog {
  log(message: string): void;
  warn(message: string): void;
}

/** Sends spans to a collector in the background (OTLP/HTTP with JSON). It never throws, and drops spans if its queue is full. */
export class SpanExporter {
  private readonly queue: Span[] = [];
  private timer?: NodeJS.Timeout;
  /** Whether the last export failed. */
  private isFailing = false;
  private dropped = 0;

  constructor(
    private readonly settings: Pick<TraceSettings, 'url' | 'headers' | 'resource'>,
    private readonly log: TraceLog,
  ) {}

  add(span: Span): void {
    if (this.queue.length >= MAX_QUEUED) this.dropped++;
    else this.queue.push(span);
    if (this.queue.length >= BATCH && !this.isFailing) void this.flush();
    else this.timer ??= setTimeout(() => void this.flush(), PAUSE_MS).unref();
  }

  /** Sends the waiting spans. Resolves when they are sent or the collector has failed. Never rejects. */
  readonly flush = oneAtATime(async () => {
    clearTimeout(this.timer);
    while (this.queue.length) {
      const batch = this.queue.slice(0, BATCH);
      const error = await this.send(batch);
      if (error) this.reportFailure(error.reason);
      if (error?.mayRepeat) break;
      if (error) this.dropped += batch.length;
      else this.reportSuccess();
      this.queue.splice(0, batch.length);
    }
    this.timer = this.queue.length ? setTimeout(() => void this.flush(), PAUSE_MS).unref() : undefined;
  });

  /** Sends a batch. Returns the reason of a failure, or undefined. */
  private async send(batch: readonly Span[]): Promise<{ reason: string; mayRepeat: boolean } | undefined> {
    try {
      const response = await fetch(this.settings.url, {
        method: 'POST',
        headers: { ...this.settings.headers, 'Content-Type': 'application/json' },
        body: otlpPayload(batch, this.settings.resource),
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await response.body?.cancel();
      return response.ok
        ? undefined
        : { reason: `status ${response.status}`, mayRepeat: REPEATED.has(response.status) };
    } catch (error) {
      const { name, cause } = error as Error & { cause?: NodeJS.ErrnoException };
      return { reason: cause?.code ?? name, mayRepeat: true };
    }
  }

  private reportFailure(reason: string): void {
    if (!this.isFailing)
      this.log.warn(
        `Traces cannot be exported to ${new URL(this.settings.url).host} (${reason}). The service works without them.`,
      );
    this.isFailing = true;
  }

  private reportSuccess(): void {
    if (this.isFailing) this.log.log(`Traces are exported again. ${this.dropped} spans were dropped.`);
    this.isFailing = false;
    this.dropped = 0;
  }
}
