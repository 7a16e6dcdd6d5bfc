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
import { adviceFor, formOf, IsUrlOf } from './connection-url.js';
import { readPemFiles } from './pem-files.js';
import { SettingsError } from './settings-error.js';

const ENVIRONMENTS = ['development', 'production', 'test'] as const;
const DEFAULT_DATABASE_URL = 'sqlite:data/customer-data.db';

const TLS_MODES = new Map<string, boolean | 'verify-ca'>([
  ['true', true],
  ['verify-ca', 'verify-ca'],
  ['false', false],
]);

const LOG_FORMATS = ['json', 'text'] as const;

/** Injection token of the {@link Settings} of the running process. */
export const SETTINGS = getConfigToken('settings');

/** Returns the default of a variable that is absent or empty. It may depend on other variables. */
type Fallback<T> = (env: NodeJS.ProcessEnv) => T;

/** A whole number from `min` to `max`. */
function integer(min: number, max: number, fallback: number | Fallback<number>): PropertyDecorator {
  const message = `must be a whole number from ${min} to ${max}`;
  const byDefault = typeof fallback === 'number' ? () => fallback : fallback;
  return applyDecorators(
    Transform(({ value, obj }) => (value ? (/^\d+$/.test(value) ? Number(value) : NaN) : byDefault(obj))),
    IsInt({ message }),
    Min(min, { message }),
    Max(max, { message }),
  );
}

const port = (fallback: number) => integer(0, 65_535, fallback);

/** `true` or `false`. */
function flag(fallback: Fallback<boolean>): PropertyDecorator {
  const words: Record<string, boolean> = { true: true, false: false };
  return applyDecorators(
    Transform(({ value, obj }) => (value ? (words[value] ?? value) : fallback(obj))),
    IsBoolean({ message: 'must be true or false' }),
  );
}

/** An optional setting: undefined if it is not set. */
function optional(): PropertyDecorator {
  return Transform(({ value }) => value || undefined);
}

function databaseProblem(url: string): string {
  return adviceFor([url]) ?? `${url ? 'must be' : 'is required in production:'} ${formOf('mysql')} or sqlite:PATH`;
}

/** The length of an address of each IP version. */
const ADDRESS_BITS: Readonly<Record<number, number>> = { 4: 32, 6: 128 };

/** Whether the text is an IP address, or a CIDR range of at least one bit. A range of no bits would trust everyone. */
function isAddressRange(text: string): boolean {
  const [, address = '', prefix = '1'] = /^([\d.:a-f]+)(?:\/([1-9]\d{0,2}))?$/i.exec(text) ?? [];
  return Number(prefix) <= (ADDRESS_BITS[isIP(address)] ?? 0);
}

/** Secret settings. Each can be replaced by a variable with the suffix `_FILE`, which names a file with the value. */
const SECRETS = ['DATABASE_URL', 'DATABASE_REPLICA_URLS', 'REDIS_URL', 'JWT_SECRET'] as const;

/**
 * All settings, each with the name of its environment variable. They are read once at the start, and no other code
 * reads the environment. Validation messages never contain a value, because it may be a secret.
 */
export class Settings {
  /** With `production`, the service needs DATABASE_URL and JWT_SECRET, and never loads the demo data. */
  @Transform(({ value }) => value || 'development')
  @IsIn(ENVIRONMENTS, { message: `must be one of ${ENVIRONMENTS.join(', ')}` })
  readonly NODE_ENV!: (typeof ENVIRONMENTS)[number];

  /** The public port, for the endpoints of the interface only. 0 selects a free port. */
  @port(3000)
  readonly PORT!: number;

  /** The management port, for probes and metrics. Do not expose it through the ingress. 0 selects a free port. */
  @port(3001)
  readonly MANAGEMENT_PORT!: number;

  /** `mysql://user:password@host:port/name` or `sqlite:PATH`. Required in production. */
  @Transform(({ value, obj }) => value || (obj.NODE_ENV === 'production' ? '' : DEFAULT_DATABASE_URL))
  @IsUrlOf('mysql', { message: ({ value }) => databaseProblem(value) }, /^sqlite:./)
  readonly DATABASE_URL!: string;

  /** Read replicas of that server, separated by commas. Only data responses are read from them. */
  @Transform(({ value }) => splitList(value))
  @IsUrlOf('mysql', {
    each: true,
    message: ({ value }) => adviceFor(value) ?? `must be ${formOf('mysql')}, separated by commas`,
  })
  readonly DATABASE_REPLICA_URLS!: readonly string[];

  /** The service does not use a read replica while its content is older than this, in seconds. */
  @integer(5, 86_400, 60)
  readonly DATABASE_REPLICA_LAG_SECONDS!: number;

  /**
   * Whether connections to these servers are encrypted. Their certificates are always verified. With `verify-ca`, a
   * certificate may be for another host.
   */
  @Transform(({ value, obj }) =>
    TLS_MODES.get(value || String(Boolean(obj.DATABASE_CA_FILE || obj.DATABASE_CERTIFICATE_FILE))),
  )
  @IsIn([...TLS_MODES.values()], { message: `must be one of ${[...TLS_MODES.keys()].join(', ')}` })
  readonly DATABASE_TLS!: boolean | 'verify-ca';

  /** File of certificate authorities (PEM) to trust for these servers instead of the public ones. */
  @optional()
  readonly DATABASE_CA_FILE?: string;

  /** File of the certificate (PEM) that the service presents to these servers. Its chain may follow it. */
  @optional()
  readonly DATABASE_CERTIFICATE_FILE?: string;

  /** File of the private key (PEM) of this certificate, without a passphrase. */
  @optional()
  readonly DATABASE_KEY_FILE?: string;

  /** Number of connections for short lookups (credentials, scope, health). MySQL only. */
  @integer(2, 1000, 5)
  readonly DATABASE_POOL_SIZE!: number;

  /**
   * How many responses of /products, /stock and /prices read the database at the same time. Each holds a connection.
   */
  @integer(1, 1000, 10)
  readonly DOWNLOAD_POOL_SIZE!: number;

  /** How many of these responses one customer may have in flight, that is, being read or sent. */
  @integer(1, 1000, 5)
  readonly DOWNLOADS_PER_CUSTOMER!: number;

  /** How long a request waits for a database connection before the service returns 500, in milliseconds. */
  @integer(1, 60_000, 5000)
  readonly DATABASE_WAIT_MS!: number;

  /**
   * The service aborts a response if fewer than `DOWNLOAD_MIN_BYTES_PER_SECOND` bytes per second move during this many
   * seconds, on either side.
   */
  @integer(1, 3600, 30)
  readonly DOWNLOAD_STALL_SECONDS!: number;

  /** The number of bytes per second that a response must move. */
  @integer(1, 1_000_000_000, 1000)
  readonly DOWNLOAD_MIN_BYTES_PER_SECOND!: number;

  /** The folder for unsent parts of responses. Default: the system's folder for temporary files. */
  @Transform(({ value }) => value || tmpdir())
  @ValidateBy({
    name: 'folder',
    validator: { validate: (path) => isAbsolute(String(path)), defaultMessage: () => 'must be an absolute path' },
  })
  readonly SPOOL_FOLDER!: string;

  /** The space in that folder that the service may use, in MiB. With 0, a slow client holds a database connection. */
  @integer(0, 1_000_000, 1024)
  readonly SPOOL_MEGABYTES!: number;

  /** The share of this space that one customer may use, in percent. */
  @integer(1, 100, 25)
  readonly SPOOL_CUSTOMER_PERCENT!: number;

  /** Memory for finished bodies of /products and /prices, in MiB. 0 turns the cache off. */
  @integer(0, 100_000, 128)
  readonly RESPONSE_CACHE_MEGABYTES!: number;

  /** Requests per minute of a customer without its own limits, and of all anonymous clients together. */
  @integer(1, 1_000_000_000, 60)
  readonly REQUESTS_PER_MINUTE!: number;

  /** Requests per hour of such a customer, and of all anonymous clients together. */

  @integer(1, 1_000_000_000, 1000)
  readonly REQUESTS_PER_HOUR!: number;

  /**
   * `redis://user:password@host:port/database` or `redis+sentinel://…` (sentinel-url.ts), in which replicas
   * share their counts. Unset: each replica counts alone.
   */
  @optional()
  @ValidateIf(({ REDIS_URL }: Settings) => REDIS_URL !== undefined)
  @IsUrlOf('redis', { message: `must be ${formOf('redis')}` })
  readonly REDIS_URL?: string;

  /** File of certificate authorities (PEM) to trust for `rediss` instead of the public ones. */
  @optional()
  readonly REDIS_CA_FILE?: string;

  /**
   * How long an idle connection stays open, in seconds. It must be longer than the time that the ingress keeps an idle
   * connection (60 s).
   */
  @integer(1, 3600, 75)
  readonly KEEP_ALIVE_SECONDS!: number;

  /**
   * How long the service still accepts requests after SIGTERM, in seconds. Meanwhile /readyz returns 503, so that load
   * balancers stop sending requests. Default: 5 in production, else 0.
   */
  @integer(0, 300, (env) => (env.NODE_ENV === 'production' ? 5 : 0))
  readonly DRAIN_SECONDS!: number;

  /** Whether the log has lines of JSON or lines for people. Default: JSON in production, else text. */
  @Transform(({ value, obj }) => value || (obj.NODE_ENV === 'production' ? 'json' : 'text'))
  @IsIn(LOG_FORMATS, { message: `must be one of ${LOG_FORMATS.join(', ')}` })
  readonly LOG_FORMAT!: (typeof LOG_FORMATS)[number];

  /** Whether the log contains a line for each request. */
  @flag(() => true)
  readonly LOG_REQUESTS!: boolean;

  /** Whether the metrics contain the requests and the last complete responses of each customer, by Customer Code. */
  @flag(() => false)
  readonly METRICS_BY_CUSTOMER!: boolean;

  /**
   * Addresses and CIDR ranges of the proxies in front of the service, separated by commas. Only they may name the
   * address of a client in `X-Forwarded-For`.
   */
  @Transform(({ value }) => splitList(value))
  @ValidateBy(
    {
      name: 'addressRanges',
      validator: {
        validate: (range) => isAddressRange(String(range)),
        defaultMessage: () => 'must be IP addresses or CIDR ranges, such as 10.0.0.0/8, separated by commas',
      },
    },
    { each: true },
  )
  readonly TRUSTED_PROXIES!: readonly string[];

  /** Whether the service migrates the database when it starts. Default: only the embedded database. */
  @flag((env) => !env.DATABASE_URL || env.DATABASE_URL.startsWith('sqlite:'))
  readonly MIGRATE_ON_START!: boolean;

  /** Whether the service loads the demo data into an empty embedded database. It never does in production. */
  @flag(() => true)
  readonly DEMO_DATA!: boolean;

  /** Whether the service is a sandbox: demo data in a new database of its own, and a published API key. */
  @flag(() => false)
  readonly SANDBOX!: boolean;

  /**
   * Secrets that sign and verify access tokens, separated by commas. The first one signs, all verify. Required in
   * production; elsewhere the service generates a secret at each start by default.
   */
  @Transform(({ value }) => splitList(value))
  @ValidateIf(({ NODE_ENV, JWT_SECRET }: Settings) => NODE_ENV === 'production' || JWT_SECRET.length > 0)
  @ArrayNotEmpty({ message: 'is required in production' })
  @MinLength(32, { each: true, message: 'must be secrets of at least 32 characters each, separated by commas' })
  readonly JWT_SECRET!: readonly string[];
}

/**
 * Reads the settings from the environment. The result is frozen.
 * @param signing false for commands, which sign no tokens and therefore start without `JWT_SECRET`
 * @throws {SettingsError} which names every invalid setting, without values
 */
export function readSettings(env: NodeJS.ProcessEnv = process.env, { signing = true } = {}): Settings {
  // Every known name must be present, at least as undefined, so that its default applies.
  const names = Object.keys(plainToInstance(Settings, {})) as (keyof Settings)[];
  const known = Object.fromEntries(names.map((name) => [name, env[name]?.trim()]));
  const unreadable = readSecretFiles(env, known, signing);
  const settings = plainToInstance(Settings, known, { exposeUnsetFields: true });
  const wrong = validateSync(settings)
    .filter(({ property }) => signing || property !== 'JWT_SECRET')
    .filter(({ property }) => !unreadable.some((problem) => problem.startsWith(`${property}_FILE`)))
    .map(({ property, constraints }) => `${property} ${Object.values(constraints ?? {})[0]}`);
  const problems = [...unreadable, ...wrong, ...readPemFiles(settings).problems, ...sandboxProblems(settings, known)];
  if (!problems.length) problems.push(...contradictions(settings));
  if (problems.length) throw new SettingsError(problems);
  return Object.freeze(settings);
}

/** Replaces secrets by the contents of their files. @returns the problems */
function readSecretFiles(
  env: NodeJS.ProcessEnv,
  known: Record<string, string | undefined>,
  signing: boolean,
): string[] {
  return SECRETS.flatMap((name) => {
    const path = env[`${name}_FILE`]?.trim();
    if (!path || (name === 'JWT_SECRET' && !signing)) return [];
    if (known[name]) return [`${name}_FILE must not be set together with ${name}: remove one of them`];
    try {
      known[name] = readFileSync(path, 'utf8').trim();
    } catch (error) {
      return [`${name}_FILE must name a readable file (${(error as NodeJS.ErrnoException).code})`];
    }
    // With an empty file, a default would replace the value that the operator meant to set.
    return known[name] ? [] : [`${name}_FILE must name a file that is not empty`];
  });
}

/** Returns the problems of settings that contradict each other. */
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
      settings.DATABASE_TLS === 'verify-ca' && settings.DATABASE_CA_FILE === undefined,
      'DATABASE_TLS=verify-ca needs a DATABASE_CA_FILE: a public authority gives certificates to everyone',
    ],
    [
      (settings.DATABASE_CERTIFICATE_FILE === undefined) !== (settings.DATABASE_KEY_FILE === undefined),
      'DATABASE_CERTIFICATE_FILE and DATABASE_KEY_FILE must be set together',
    ],
    ...(['DATABASE_CA_FILE', 'DATABASE_CERTIFICATE_FILE'] as const).map((name): [boolean, string] => [
      settings[name] !== undefined && !settings.DATABASE_TLS,
      `${name} needs a DATABASE_TLS that is not false`,
    ]),
    [
      settings.REDIS_CA_FILE !== undefined && !settings.REDIS_URL?.startsWith('rediss'),
      'REDIS_CA_FILE needs a REDIS_URL that is rediss://… or rediss+sentinel://…',
    ],
  ];
  return problems.filter(([applies]) => applies).map(([, problem]) => problem);
}

/**
 * Returns what would connect a sandbox with other systems. Its key is published, so it must share neither data nor
 * counts nor tokens with a service for customers.
 */
function sandboxProblems(
  { SANDBOX, NODE_ENV }: Settings,
  known: Readonly<Record<string, string | undefined>>,
): string[] {
  if (SANDBOX !== true) return [];
  const problems = SECRETS.filter((name) => known[name]).map(
    (name) => `${name} must be unset with SANDBOX=true: a sandbox has a published key, and makes its own data`,
  );
  if (NODE_ENV === 'production') problems.push('SANDBOX must not be true in production: its key is published');
  return problems;
}

function splitList(value: string | undefined): string[] {
  return (value ?? '')
    .split(/[,\n]/)
    .map((part) => part.trim())
    .filter(Boolean);
}
