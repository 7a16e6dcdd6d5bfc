import { applyDecorators } from '@nestjs/common';
import { getConfigToken } from '@nestjs/config';
import { plainToInstance, Transform } from 'class-transformer';
import {
  ArrayNotEmpty,
  IsBoolean,
  IsIn,
  IsInt,
  Max,
  Min,
  MinLength,
  ValidateBy,
  ValidateIf,
  validateSync,
} from 'class-validator';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { isAbsolute } from 'node:path';
import { formOf, IsUrlOf } from './connection-url.js';

const ENVIRONMENTS = ['development', 'production', 'test'] as const;
const DEFAULT_DATABASE_URL = 'sqlite:data/customer-data.db';

const LOG_FORMATS = ['json', 'text'] as const;

/** Injection token of the {@link Settings} of the running process. */
export const SETTINGS = getConfigToken('settings');

/** What an absent or empty variable means; it may depend on the other variables. */
type Fallback<T> = (env: NodeJS.ProcessEnv) => T;

/** A whole number from `min` to `max`. */
function whole(min: number, max: number, fallback: number | Fallback<number>): PropertyDecorator {
  const message = `must be a whole number from ${min} to ${max}`;
  const byDefault = typeof fallback === 'number' ? () => fallback : fallback;
  return applyDecorators(
    Transform(({ value, obj }) => (value ? (/^\d+$/.test(value) ? Number(value) : NaN) : byDefault(obj))),
    IsInt({ message }),
    Min(min, { message }),
    Max(max, { message }),
  );
}

const port = (fallback: number) => whole(0, 65_535, fallback);

/** `true` or `false`. */
function flag(fallback: Fallback<boolean>): PropertyDecorator {
  const words: Record<string, boolean> = { true: true, false: false };
  return applyDecorators(
    Transform(({ value, obj }) => (value ? (words[value] ?? value) : fallback(obj))),
    IsBoolean({ message: 'must be true or false' }),
  );
}

/** The path of a file of certificates; none: undefined. */
function certificates(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) => value || undefined),
    ValidateBy({
      name: 'certificates',
      validator: {
        validate: (path) => path === undefined || holdsCertificates(String(path)),
        defaultMessage: () => 'must name a readable file of certificates (PEM)',
      },
    }),
  );
}

function databaseProblem(url: string): string {
  return `${url ? 'must be' : 'is required in production:'} ${formOf('mysql')} or sqlite:PATH`;
}

function holdsCertificates(path: string): boolean {
  try {
    return readFileSync(path, 'utf8').includes('-----BEGIN CERTIFICATE-----');
  } catch {
    return false;
  }
}

/** Settings that are secret: instead of each, a variable with `_FILE` behind its name may name a file that holds it. */
const SECRETS = ['DATABASE_URL', 'DATABASE_REPLICA_URLS', 'REDIS_URL', 'JWT_SECRET'] as const;

/**
 * Every setting, by the name of its environment variable. Each is read once, at the start; nothing else reads the
 * environment. Messages of the rules never contain the value: it may be a secret.
 */
export class Settings {
  /** `production` refuses the demo data, a generated signing secret, and a database that nobody named. */
  @Transform(({ value }) => value || 'development')
  @IsIn(ENVIRONMENTS, { message: `must be one of ${ENVIRONMENTS.join(', ')}` })
  readonly NODE_ENV!: (typeof ENVIRONMENTS)[number];

  /** The public port: the endpoints of the interface and nothing else. 0 picks a free one. */
  @port(3000)
  readonly PORT!: number;

  /** The management port: probes and metrics. Never behind the ingress. 0 picks a free one. */
  @port(3001)
  readonly MANAGEMENT_PORT!: number;

  /** `mysql://user:password@host:port/name` or `sqlite:PATH`; in production one of them has to be named. */
  @Transform(({ value, obj }) => value || (obj.NODE_ENV === 'production' ? '' : DEFAULT_DATABASE_URL))
  @IsUrlOf('mysql', { message: ({ value }) => databaseProblem(value) }, /^sqlite:./)
  readonly DATABASE_URL!: string;

  /** Read replicas of that server, separated by commas: answers are read from them, everything else is not. */
  @Transform(({ value }) => splitList(value))
  @IsUrlOf('mysql', { each: true, message: `must be ${formOf('mysql')}, separated by commas` })
  readonly DATABASE_REPLICA_URLS!: readonly string[];

  /** A replica is left out while its content is older than this, in seconds. */
  @whole(5, 86_400, 60)
  readonly DATABASE_REPLICA_LAG_SECONDS!: number;

  /** Whether connections to these servers are encrypted, and their certificates have to be of their host names. */
  @flag((env) => Boolean(env.DATABASE_CA_FILE))
  readonly DATABASE_TLS!: boolean;

  /** Certificate authorities to trust there, instead of the public ones. */
  @certificates()
  readonly DATABASE_CA_FILE?: string;

  /** Connections for short lookups (credentials, scope, health), MySQL only. */
  @whole(2, 1000, 5)
  readonly DATABASE_POOL_SIZE!: number;

  /** How many responses of /products, /stock and /prices read the database at a time. Each holds a connection. */
  @whole(1, 1000, 10)
  readonly DOWNLOAD_POOL_SIZE!: number;

  /** How many of these responses one customer may have in flight: read or sent. */
  @whole(1, 1000, 5)
  readonly DOWNLOADS_PER_CUSTOMER!: number;

  /** How long a request waits for a database connection before it is answered 500, in milliseconds. */
  @whole(1, 60_000, 5000)
  readonly DATABASE_WAIT_MS!: number;

  /**
   * The service aborts a response if fewer than `DOWNLOAD_MIN_BYTES_PER_SECOND` bytes per second move during this many
   * seconds, on either side.
   */
  @whole(1, 3600, 30)
  readonly DOWNLOAD_STALL_SECONDS!: number;

  /** Bytes per second that a response has to move. */
  @whole(1, 1_000_000_000, 1000)
  readonly DOWNLOAD_MIN_BYTES_PER_SECOND!: number;

  /** The folder for unsent parts of responses. Default: the system's folder for temporary files. */
  @Transform(({ value }) => value || tmpdir())
  @ValidateBy({
    name: 'folder',
    validator: { validate: (path) => isAbsolute(String(path)), defaultMessage: () => 'must be an absolute path' },
  })
  readonly SPOOL_FOLDER!: string;

  /** The space in that folder that the service may use, in MiB. 0: a slow client holds a database connection. */
  @whole(0, 1_000_000, 1024)
  readonly SPOOL_MEGABYTES!: number;

  /** The share of this space that one customer may use, in percent. */
  @whole(1, 100, 25)
  readonly SPOOL_CUSTOMER_PERCENT!: number;

  /** Memory for finished bodies of /products and /prices, in MiB. 0 turns the cache off. */
  @whole(0, 100_000, 128)
  readonly RESPONSE_CACHE_MEGABYTES!: number;

  /** Requests admitted per minute and per hour of a customer without limits of its own, and of all anonymous callers. */
  @whole(1, 1_000_000_000, 60)
  readonly REQUESTS_PER_MINUTE!: number;

  @whole(1, 1_000_000_000, 1000)
  readonly REQUESTS_PER_HOUR!: number;

  /** `redis://user:password@host:port/database`, where replicas share their counts; none: each process counts alone. */
  @Transform(({ value }) => value || undefined)
  @ValidateIf(({ REDIS_URL }: Settings) => REDIS_URL !== undefined)
  @IsUrlOf('redis', { message: `must be ${formOf('redis')}` })
  readonly REDIS_URL?: string;

  /** Certificate authorities to trust for `rediss://`, instead of the public ones. */
  @certificates()
  readonly REDIS_CA_FILE?: string;

  /** How long an idle connection stays open, in seconds: longer than the ingress keeps its own (60 s). */
  @whole(1, 3600, 75)
  readonly KEEP_ALIVE_SECONDS!: number;

  /**
   * How long the service goes on after SIGTERM, in seconds, while /readyz says that it ends: until everybody has heard of
   * that. Default: 5 in production.
   */
  @whole(0, 300, (env) => (env.NODE_ENV === 'production' ? 5 : 0))
  readonly DRAIN_SECONDS!: number;

  /** Lines of JSON, or lines for people. Default: JSON in production. */
  @Transform(({ value, obj }) => value || (obj.NODE_ENV === 'production' ? 'json' : 'text'))
  @IsIn(LOG_FORMATS, { message: `must be one of ${LOG_FORMATS.join(', ')}` })
  readonly LOG_FORMAT!: (typeof LOG_FORMATS)[number];

  /** Whether the log has a line for each request. */
  @flag(() => true)
  readonly LOG_REQUESTS!: boolean;

  /** Whether metrics tell the requests of each customer by its code. */
  @flag(() => false)
  readonly METRICS_BY_CUSTOMER!: boolean;

  /** Whether the service migrates the database at its start. Default: only the embedded one. */
  @flag((env) => !env.DATABASE_URL || env.DATABASE_URL.startsWith('sqlite:'))
  readonly MIGRATE_ON_START!: boolean;

  /** Whether an empty embedded database is filled with the demo data. Never in production. */
  @flag(() => true)
  readonly DEMO_DATA!: boolean;

  /**
   * Secrets that sign and verify access tokens, separated by commas: the first signs, all verify. None outside
   * production: one is made at each start.
   */
  @Transform(({ value }) => splitList(value))
  @ValidateIf(({ NODE_ENV, JWT_SECRET }: Settings) => NODE_ENV === 'production' || JWT_SECRET.length > 0)
  @ArrayNotEmpty({ message: 'is required in production' })
  @MinLength(32, { each: true, message: 'must be secrets of at least 32 characters each, separated by commas' })
  readonly JWT_SECRET!: readonly string[];
}

/**
 * The settings that the environment holds, frozen.
 * @param signing false for commands, which sign no tokens and so start without `JWT_SECRET`
 * @throws {SettingsError} naming every setting that is wrong, and no value.
 */
export function readSettings(env: NodeJS.ProcessEnv = process.env, { signing = true } = {}): Settings {
  // Only known names are handed on, each at least as undefined, so that every default applies.
  const names = Object.keys(plainToInstance(Settings, {})) as (keyof Settings)[];
  const known = Object.fromEntries(names.map((name) => [name, env[name]?.trim()]));
  const unreadable = readSecretFiles(env, known, signing);
  const settings = plainToInstance(Settings, known, { exposeUnsetFields: true });
  const wrong = validateSync(settings)
    .filter(({ property }) => signing || property !== 'JWT_SECRET')
    .filter(({ property }) => !unreadable.some((problem) => problem.startsWith(`${property}_FILE`)))
    .map(({ property, constraints }) => `${property} ${Object.values(constraints ?? {})[0]}`);
  const problems = [...unreadable, ...wrong];
  if (!problems.length) problems.push(...contradictions(settings));
  if (problems.length) throw new SettingsError(problems);
  return Object.freeze(settings);
}

/** Puts the contents of the files that hold secrets in place of these. @returns what is wrong */
function readSecretFiles(
  env: NodeJS.ProcessEnv,
  known: Record<string, string | undefined>,
  signing: boolean,
): string[] {
  return SECRETS.flatMap((name) => {
    const path = env[`${name}_FILE`]?.trim();
    if (!path || (name === 'JWT_SECRET' && !signing)) return [];
    if (known[name]) return [`${name}_FILE must not be set beside ${name}: which of them holds?`];
    try {
      known[name] = readFileSync(path, 'utf8').trim();
    } catch (error) {
      return [`${name}_FILE must name a readable file (${(error as NodeJS.ErrnoException).code})`];
    }
    // Or else a default would take the place of what somebody meant to set.
    return known[name] ? [] : [`${name}_FILE must name a file that is not empty`];
  });
}

/** What is wrong with settings that are right each by itself. */
function contradictions(settings: Settings): string[] {
  const isServer = settings.DATABASE_URL.startsWith('mysql:');
  const problems: [boolean, string][] = [
    [settings.PORT > 0 && settings.PORT === settings.MANAGEMENT_PORT, 'MANAGEMENT_PORT must differ from PORT'],
    [
      settings.DATABASE_REPLICA_URLS.length > 0 && !isServer,
      'DATABASE_REPLICA_URLS needs a DATABASE_URL that is mysql://…',
    ],
    [settings.DATABASE_TLS && !isServer, 'DATABASE_TLS needs a DATABASE_URL that is mysql://…'],
    [
      settings.DATABASE_TLS && [settings.DATABASE_URL, ...settings.DATABASE_REPLICA_URLS].some(namesAddress),
      'DATABASE_TLS needs host names in DATABASE_URL and DATABASE_REPLICA_URLS: a certificate is not verified for an IP address',
    ],
    [
      settings.DATABASE_CA_FILE !== undefined && !settings.DATABASE_TLS,
      'DATABASE_CA_FILE needs a DATABASE_TLS that is not false',
    ],
    [
      settings.REDIS_CA_FILE !== undefined && !settings.REDIS_URL?.startsWith('rediss:'),
      'REDIS_CA_FILE needs a REDIS_URL that is rediss://…',
    ],
  ];
  return problems.filter(([holds]) => holds).map(([, problem]) => problem);
}

/** Whether the host of a URL is an IP address rather than a name. */
function namesAddress(url: string): boolean {
  return URL.canParse(url) && isIP(new URL(url).hostname) > 0;
}

/** The environment holds settings that are wrong: one line each in `problems`. */
export class SettingsError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(['Wrong settings:', ...problems.map((problem) => `  ${problem}`)].join('\n'));
  }
}

function splitList(value: string | undefined): string[] {
  return (value ?? '')
    .split(/[,\n]/)
    .map((part) => part.trim())
    .filter(Boolean);
}
