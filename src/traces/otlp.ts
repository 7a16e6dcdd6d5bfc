// Exports traces to a collector of OpenTelemetry: node --import /app/dist/traces/otlp.js /app/dist/main.js
// The service never imports this file. docs/operations.md#traces shows how to use it.
import { Logger } from '@nestjs/common';
import { SettingsError } from '../config/settings-error.js';
import { readTraceSettings, type TraceSettings } from '../config/trace-settings.js';
import { startTraces } from './start-traces.js';

const settings = settingsOrExit();
if (settings) startTraces(settings, new Logger('Traces'));

function settingsOrExit(): TraceSettings | undefined {
  try {
    return readTraceSettings();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return process.exit(1);
  }
}
