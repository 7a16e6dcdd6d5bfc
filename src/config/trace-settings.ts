import { hostname } from 'node:os';
import { SettingsError } from './settings-error.js';

/** Names and values, such as headers. */
type Pairs = Readonly<Record<string, string>>;

/** Which requests are traced. */
export interface Sampling {
  /** Whether a caller that sends a `traceparent` decides about its request. */
  readonly followsParent: boolean;
  /** The part of all other requests that is traced, from 0 to 1. */
  readonly ratio: number;
}

/** Where traces are exported to, and which ones. */
export interface TraceSettings {
  readonly url: string;
  /** Headers of each export. They may contain a secret. */
  readonly headers: Pairs;
  /** Attributes of the process. */
  readonly resource: Pairs;
  readonly sampling: Sampling;
}

const PARENT_BASED = 'parentbased_';
/** The end of the name of each sampler, and its ratio if the name fixes it. */
const SAMPLERS: Readonly<Record<string, number | undefined>> = { always_on: 1, always_off: 0, traceidratio: undefined };
const PAIR = /^([^=\s]+)\s*=\s*(.*)$/;

/**
 * Reads the settings of the module that exports traces, which are variables of OpenTelemetry. The result is undefined
 * if they disable traces.
 * @throws {SettingsError} which names every invalid variable, without values
 */
export function readTraceSettings(env: NodeJS.ProcessEnv = process.env): TraceSettings | undefined {
  const reader = new TraceEnvironment(env);
  if (reader.isDisabled) return undefined;
  reader.checkProtocol();
  const settings = {
    url: reader.url(),
    headers: reader.headers(),
    resource: reader.resource(),
    sampling: reader.sampling(),
  };
  if (reader.problems.length) throw new SettingsError(reader.problems);
  return Object.freeze(settings);
}

class TraceEnvironment {
  readonly problems: string[] = [];

  constructor(private readonly env: NodeJS.ProcessEnv) {}

  get isDisabled(): boolean {
    return this.value('OTEL_SDK_DISABLED')?.toLowerCase() === 'true' || this.value('OTEL_TRACES_EXPORTER') === 'none';
  }

  checkProtocol(): void {
    const name = this.exporterName('PROTOCOL');
    if ((this.value(name) ?? 'http/json') !== 'http/json')
      this.problems.push(`${name} must be http/json: this module supports no other protocol`);
  }

  url(): string {
    const name = this.exporterName('ENDPOINT');
    const endpoint = this.value(name) ?? 'http://localhost:4318';
    const url = name.includes('TRACES') ? endpoint : `${endpoint.replace(/\/+$/, '')}/v1/traces`;
    if (!isPlainUrl(url)) this.problems.push(`${name} must be an http:// or https:// URL without a password`);
    return url;
  }

  headers(): Pairs {
    const name = this.exporterName('HEADERS');
    const headers = this.pairs(name);
    // Otherwise every export would fail.
    if (!areHeaders(headers)) this.problems.push(`${name} must contain only names and values that HTTP allows`);
    return headers;
  }

  resource(): Pairs {
    return {
      'service.name': 'customer-data-service',
      'host.name': hostname(),
      ...this.pairs('OTEL_RESOURCE_ATTRIBUTES'),
      ...(this.value('OTEL_SERVICE_NAME') && { 'service.name': this.value('OTEL_SERVICE_NAME') }),
    };
  }

  sampling(): Sampling {
    const sampler = this.value('OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on';
    const followsParent = sampler.startsWith(PARENT_BASED);
    const name = followsParent ? sampler.slice(PARENT_BASED.length) : sampler;
    if (!Object.hasOwn(SAMPLERS, name)) {
      const names = Object.keys(SAMPLERS).flatMap((known) => [known, PARENT_BASED + known]);
      this.problems.push(`OTEL_TRACES_SAMPLER must be one of ${names.join(', ')}`);
    }
    const ratio = Number(this.value('OTEL_TRACES_SAMPLER_ARG') ?? 1);
    if (!(ratio >= 0 && ratio <= 1)) this.problems.push('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1');
    return { followsParent, ratio: SAMPLERS[name] ?? ratio };
  }

  /** Returns the variable of traces if it is set, otherwise the variable of all signals. */
  private exporterName(name: string): string {
    const ofTraces = `OTEL_EXPORTER_OTLP_TRACES_${name}`;
    return this.value(ofTraces) === undefined ? `OTEL_EXPORTER_OTLP_${name}` : ofTraces;
  }

  /** Reads `NAME=VALUE` pairs that are separated by commas. Values are percent-encoded. */
  private pairs(name: string): Pairs {
    const parts = (this.value(name) ?? '').split(',').filter((part) => part.trim());
    try {
      return Object.fromEntries(parts.map(pairIn));
    } catch {
      this.problems.push(`${name} must be NAME=VALUE pairs, separated by commas, with percent-encoded values`);
      return {};
    }
  }

  private value(name: string): string | undefined {
    return this.env[name]?.trim() || undefined;
  }
}

/** @throws if the text is no pair */
function pairIn(text: string): [string, string] {
  const [, name, value] = PAIR.exec(text.trim())!;
  return [name!, decodeURIComponent(value!)];
}

function areHeaders(pairs: Pairs): boolean {
  try {
    return Boolean(new Headers(pairs));
  } catch {
    return false;
  }
}

function isPlainUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return ['http:', 'https:'].includes(protocol) && !username && !password;
}
