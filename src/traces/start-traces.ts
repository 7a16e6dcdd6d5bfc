import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { TraceSettings } from '../config/trace-settings.js';
import { EXIT_CHANNEL, type Exit } from '../telemetry/exit-channel.js';
import { SpanExporter, type TraceLog } from './span-exporter.js';
import { TraceRecorder } from './trace-recorder.js';

/** Running traces. */
interface Traces {
  /** Exports the spans that wait. Never rejects. */
  flush(): Promise<void>;
  stop(): void;
}

/** Records and exports traces until they are stopped. */
export function startTraces(settings: TraceSettings, log: TraceLog): Traces {
  const exporter = new SpanExporter(settings, log);
  let hasFailed = false;
  const reportOnce = (error: unknown) => {
    if (!hasFailed) log.warn(`Traces are incomplete: ${(error as Error).message}`);
    hasFailed = true;
  };
  const recorder = new TraceRecorder(settings.sampling, (span) => exporter.add(span), reportOnce);
  const flushBeforeExit = (exit: unknown) => (exit as Exit).waitFor(exporter.flush());
  recorder.start();
  subscribe(EXIT_CHANNEL, flushBeforeExit);
  return {
    flush: exporter.flush,
    stop: () => {
      recorder.stop();
      unsubscribe(EXIT_CHANNEL, flushBeforeExit);
    },
  };
}
