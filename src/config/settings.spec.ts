import { tmpdir } from 'node:os';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSettings, SettingsError } from './settings.js';

const SECRET = 's'.repeat(32);

function refusal(env: NodeJS.ProcessEnv): SettingsError | undefined {
  try {
    readSettings(env);
  } catch (error) {
    if (error instanceof SettingsError) return error;
    throw error;
  }
  return undefined;
}

/** Returns the problems of an environment, one line each. */
const problems = (env: NodeJS.ProcessEnv) => refusal(env)?.problems ?? [];
const PRODUCTION = { NODE_ENV: 'production', DATABASE_URL: 'mysql://db/catalogue', JWT_SECRET: SECRET };
const inProduction = (JWT_SECRET?: string) => problems({ ...PRODUCTION, JWT_SECRET });

const DEFAULTS = {
  NODE_ENV: 'development',
  PORT: 3000,
  MANAGEMENT_PORT: 3001,
  DATABASE_URL: 'sqlite:data/customer-data.db',
  DATABASE_REPLICA_URLS: [],
  DATABASE_REPLICA_LAG_SECONDS: 60,
  DATABASE_TLS: false,
  DATABASE_CA_FILE: undefined,
  DATABASE_POOL_SIZE: 5,
  DOWNLOAD_POOL_SIZE: 10,
  DOWNLOADS_PER_CUSTOMER: 5,
  DATABASE_WAIT_MS: 5000,
  DOWNLOAD_STALL_SECONDS: 30,
  DOWNLOAD_MIN_BYTES_PER_SECOND: 1000,
  SPOOL_FOLDER: tmpdir(),
  SPOOL_MEGABYTES: 1024,
  SPOOL_CUSTOMER_PERCENT: 25,
  RESPONSE_CACHE_MEGABYTES: 128,
  SANDBOX: false,
  REQUESTS_PER_MINUTE: 60,
  REQUESTS_PER_HOUR: 1000,
  REDIS_URL: undefined,
  REDIS_CA_FILE: undefined,
  KEEP_ALIVE_SECONDS: 75,
  DRAIN_SECONDS: 0,
  LOG_FORMAT: 'text',
  LOG_REQUESTS: true,
  METRICS_BY_CUSTOMER: false,
  TRUSTED_PROXIES: [],
  MIGRATE_ON_START: true,
  DEMO_DATA: true,
  JWT_SECRET: [],
};
const NAMES = Object.keys(DEFAULTS) as (keyof typeof DEFAULTS)[];
const allSetTo = (value: string) => Object.fromEntries(NAMES.map((name) => [name, value]));

test.each([
  ['absent', {}],
  ['empty', allSetTo('')],
  ['blank', allSetTo('  ')],
])('settings that are %s have their default values', (_, env) => {
  expect({ ...readSettings(env) }).toEqual(DEFAULTS);
});

test('ignores environment variables that are not settings', () => {
  expect({ ...readSettings({ PATH: '/bin', port: '1', PORT_: '2' }) }).toEqual(DEFAULTS);
});

test.each<[string, string, unknown]>([
  ['NODE_ENV', 'test', 'test'],
  ['PORT', '0', 0],
  ['PORT', ' 8080\n', 8080],
  ['PORT', '65535', 65_535],
  ['MANAGEMENT_PORT', '9000', 9000],
  ['DATABASE_URL', ' sqlite:/var/lib/x.db ', 'sqlite:/var/lib/x.db'],
  ['DATABASE_URL', 'mysql://u:p%40ss@db.example:3306/catalogue', 'mysql://u:p%40ss@db.example:3306/catalogue'],
  ['DATABASE_URL', 'mysql://db/catalogue', 'mysql://db/catalogue'],
  ['DATABASE_URL', 'sqlite:data/100%.db', 'sqlite:data/100%.db'],
  ['REDIS_URL', 'rediss://u:100%25%23@my_redis:6380/2', 'rediss://u:100%25%23@my_redis:6380/2'],
  ['REDIS_URL', 'redis+sentinel://:p@a:1,b/m/2', 'redis+sentinel://:p@a:1,b/m/2'],
  ['DATABASE_POOL_SIZE', '2', 2],
  ['DATABASE_WAIT_MS', '60000', 60_000],
  ['TRUSTED_PROXIES', '10.0.0.0/8, 192.0.2.1,, ::1,2001:DB8::/32', ['10.0.0.0/8', '192.0.2.1', '::1', '2001:DB8::/32']],
  ['MIGRATE_ON_START', 'false', false],
  ['DEMO_DATA', ' false ', false],
  ['JWT_SECRET', SECRET, [SECRET]],
  ['JWT_SECRET', ` ${SECRET} , t${SECRET},, `, [SECRET, `t${SECRET}`]],
])('%s=%j is read as %j', (name, text, value) => {
  expect({ ...readSettings({ [name]: text }) }).toMatchObject({ [name]: value });
});

test('MIGRATE_ON_START is true by default only for the embedded database', () => {
  const DATABASE_URL = 'mysql://db/catalogue';
  expect(readSettings({ DATABASE_URL }).MIGRATE_ON_START).toBe(false);
  expect(readSettings({ DATABASE_URL, MIGRATE_ON_START: 'true' }).MIGRATE_ON_START).toBe(true);
  expect(readSettings({ DATABASE_URL: ' sqlite:x.db' }).MIGRATE_ON_START).toBe(true);
});

test('DRAIN_SECONDS is 5 by default in production', () => {
  expect(readSettings(PRODUCTION).DRAIN_SECONDS).toBe(5);
  expect(readSettings({ ...PRODUCTION, DRAIN_SECONDS: '0' }).DRAIN_SECONDS).toBe(0);
});

describe('files', () => {
  let folder: string;
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'settings-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  const holding = (text: string) => {
    const path = join(folder, 'file');
    writeFileSync(path, text);
    return path;
  };

  test.each<[string, string, unknown]>([
    ['DATABASE_URL', 'mysql://u:p@db/catalogue\n', 'mysql://u:p@db/catalogue'],
    ['REDIS_URL', 'redis://:secret@redis', 'redis://:secret@redis'],
    ['JWT_SECRET', `${SECRET}\nt${SECRET}\n`, [SECRET, `t${SECRET}`]],
  ])('%s can be read from a file with the content %j', (name, text, value) => {
    expect({ ...readSettings({ [`${name}_FILE`]: holding(text) }) }).toMatchObject({ [name]: value });
  });

  test('DATABASE_REPLICA_URLS can come from a file, and the content of a file determines the defaults of other settings', () => {
    const DATABASE_URL_FILE = holding('mysql://db/catalogue');
    expect(readSettings({ DATABASE_URL_FILE, DATABASE_REPLICA_URLS_FILE: DATABASE_URL_FILE })).toMatchObject({
      DATABASE_REPLICA_URLS: ['mysql://db/catalogue'],
      MIGRATE_ON_START: false,
    });
  });

  test.each(['DATABASE_URL', 'DATABASE_REPLICA_URLS', 'REDIS_URL', 'JWT_SECRET'])(
    '%s_FILE is refused if it is missing, empty or invalid, and the message does not show its content',
    (name) => {
      const of = (env: NodeJS.ProcessEnv) => problems({ ...PRODUCTION, [name]: undefined, ...env });
      const file = `${name}_FILE`;
      expect(of({ [file]: join(folder, 'none') })).toEqual([`${file} must name a readable file (ENOENT)`]);
      expect(of({ [file]: folder })).toEqual([`${file} must name a readable file (EISDIR)`]);
      expect(of({ [file]: holding(' \n') })).toEqual([`${file} must name a file that is not empty`]);
      expect(of({ [file]: holding('Tr0ub4dor') })).toEqual([expect.stringMatching(`^${name} must be (?!.*Tr0ub4dor)`)]);
      expect(of({ [name]: 'x', [file]: holding('x') })).toEqual([
        expect.stringMatching(`^${file} must not be set together with ${name}`),
      ]);
    },
  );

  test('a command needs neither JWT_SECRET nor its file', () => {
    expect(readSettings({ JWT_SECRET_FILE: join(folder, 'none') }, { signing: false }).JWT_SECRET).toEqual([]);
  });

  test('DATABASE_CA_FILE turns encryption on, and files of certificates are checked', () => {
    const DATABASE_CA_FILE = holding('-----BEGIN CERTIFICATE-----\n');
    const DATABASE_URL = 'mysql://db/catalogue';
    expect(readSettings({ DATABASE_URL, DATABASE_CA_FILE }).DATABASE_TLS).toBe(true);
    expect(readSettings({ DATABASE_URL, DATABASE_TLS: 'true' }).DATABASE_CA_FILE).toBeUndefined();
    for (const name of ['DATABASE_CA_FILE', 'REDIS_CA_FILE'])
      for (const path of [join(folder, 'none'), folder, holding('a key')])
        expect(problems({ DATABASE_URL, REDIS_URL: 'rediss://redis', [name]: path })).toEqual([
          `${name} must name a readable file of certificates (PEM)`,
        ]);
  });

  test('DATABASE_TLS requires host names instead of IP addresses (decision 78)', () => {
    const named = 'mysql://db/catalogue';
    const addressed = 'mysql://user:secret@10.0.0.1:3306/catalogue';
    const DATABASE_TLS = 'true';
    const expected = [expect.stringMatching(/^DATABASE_TLS needs host names/)];
    expect(problems({ DATABASE_URL: addressed, DATABASE_TLS })).toEqual(expected);
    expect(problems({ DATABASE_URL: named, DATABASE_REPLICA_URLS: addressed, DATABASE_TLS })).toEqual(expected);
    expect(readSettings({ DATABASE_URL: addressed }).DATABASE_TLS).toBe(false);
  });

  test('refuses certificates without encryption', () => {
    const path = holding('-----BEGIN CERTIFICATE-----\n');
    const DATABASE_URL = 'mysql://db/catalogue';
    expect(problems({ DATABASE_CA_FILE: path })).toEqual([expect.stringMatching('^DATABASE_TLS needs a DATABASE_URL')]);
    expect(problems({ DATABASE_URL, DATABASE_CA_FILE: path, DATABASE_TLS: 'false' })).toEqual([
      expect.stringMatching('^DATABASE_CA_FILE needs a DATABASE_TLS'),
    ]);
    for (const REDIS_URL of [undefined, 'redis://redis'])
      expect(problems({ REDIS_URL, REDIS_CA_FILE: path })).toEqual([
        expect.stringMatching('^REDIS_CA_FILE needs a REDIS_URL'),
      ]);
  });
});

test.each([
  ['PORT', ['-1', '65536', '3000.5', '1e3', '0x10', '3 000', 'http', 'NaN', '9'.repeat(400)]],
  ['MANAGEMENT_PORT', ['-1', '65536', 'none']],
  ['DATABASE_POOL_SIZE', ['1', '1001', 'many']],
  ['DOWNLOAD_POOL_SIZE', ['0', '1001', '-5']],
  ['DATABASE_WAIT_MS', ['0', '60001', '5s']],
  ['DOWNLOAD_STALL_SECONDS', ['0', '3601', '1.5']],
  ['SPOOL_FOLDER', ['spool', './spool']],
  ['SPOOL_MEGABYTES', ['-1', '1000001', '1.5']],
  ['SPOOL_CUSTOMER_PERCENT', ['0', '101']],
  ['RESPONSE_CACHE_MEGABYTES', ['-1', '100001']],
  ['KEEP_ALIVE_SECONDS', ['0', '3601']],
  ['NODE_ENV', ['prod', 'Production', 'staging']],
  ['MIGRATE_ON_START', ['1', 'yes', 'TRUE', 'constructor', '__proto__']],
  ['DEMO_DATA', ['0', 'no', 'False']],
  [
    'DATABASE_URL',
    ['postgres://u@h/d', 'sqlite:', 'mysql://h', 'mysql://h/', 'mysql://h:port/d', 'mysql://u:p@ss@h/d', 'data.db'],
  ],
  // Each driver fails differently for these values, or reads them differently.
  ['DATABASE_URL', ['%zz', '%', 'p%ff', 'p#s', 'p?s'].map((password) => `mysql://u:${password}@h/d`)],
  ['DATABASE_URL', ['mysql://%zz@h/d', 'mysql://u:p@h:65536/d', 'mysql://u:p@a b/d']],
  [
    'TRUSTED_PROXIES',
    [
      'true',
      '1',
      'loopback',
      '10.0.0.0/0',
      '::/0',
      '10.0.0.0/33',
      '::1/129',
      '10.0.0/8',
      '10.0.0.0/8/8',
      'fe80::1%eth0',
      '10.0.0.0/-1',
      '10.0.0.0/',
      '10.0.0.0/255.0.0.0',
      '::1,proxy',
    ],
  ],
  ['DATABASE_REPLICA_URLS', ['mysql://h/d,mysql://u:%zz@h/d', 'mysql://h:65536/d', 'sqlite:data.db']],
  ['REDIS_URL', ['redis://:%zz@h', 'redis://:p%ff@h', 'rediss://:p#s@h', 'redis://p?s@h', 'redis://h:65536', 'h:6379']],
  ['JWT_SECRET', ['short', 's'.repeat(31), `${SECRET},short`]],
])('%s refuses all of %j, and the message names the setting', (name, values) => {
  for (const value of values) {
    expect([value, problems({ [name]: value })]).toEqual([value, [expect.stringMatching(`^${name} must be `)]]);
  }
});

test('the message lists every invalid setting on one line each, without values (decision 30)', () => {
  const { message, problems: lines } = refusal(allSetTo('Tr0ub4dor'))!;
  expect(lines.map((line) => line.split(' ')[0]).toSorted()).toEqual(NAMES.toSorted());
  expect(message.split('\n')).toEqual(['Invalid settings:', ...lines.map((line) => `  ${line}`)]);
  expect(message).not.toContain('Tr0ub4dor');
});

describe('in production', () => {
  test.each([undefined, '', ' ', ',', ' , '])('the service does not start without a secret (%j)', (secret) => {
    expect(inProduction(secret)).toEqual(['JWT_SECRET is required in production']);
  });

  test.each(['s'.repeat(31), `${SECRET},short`, `short,${SECRET}`, `${'s'.repeat(16)},${'t'.repeat(16)}`])(
    'the service does not start with a short secret in %j',
    (secret) => {
      expect(inProduction(secret)).toEqual([expect.stringMatching(/^JWT_SECRET must be secrets of at least 32 /)]);
    },
  );

  test('commands start without a secret, because they sign nothing, but check the other settings', () => {
    const secretless = { ...PRODUCTION, JWT_SECRET: undefined };
    expect(readSettings(secretless, { signing: false }).JWT_SECRET).toEqual([]);
    expect(() => readSettings({ ...secretless, PORT: 'x' }, { signing: false })).toThrow(/^ {2}PORT must be/m);
  });

  test.each([undefined, '', ' '])(
    'neither the service nor a command starts without a database (%j) (decision 29)',
    (DATABASE_URL) => {
      const message = /^ {2}DATABASE_URL is required in production: mysql:.* or sqlite:PATH$/m;
      for (const signing of [true, false])
        expect(() => readSettings({ ...PRODUCTION, DATABASE_URL }, { signing })).toThrow(message);
    },
  );

  test('accepts an embedded database if DATABASE_URL names it', () => {
    expect(problems({ ...PRODUCTION, DATABASE_URL: 'sqlite:data/customer-data.db' })).toEqual([]);
  });

  test('accepts secrets of 32 characters', () => {
    expect(inProduction(`${SECRET},t${SECRET}`)).toEqual([]);
  });
});

describe('a sandbox', () => {
  const SANDBOX = 'true';
  const SECRETS = {
    DATABASE_URL: 'mysql://u:p@h/d',
    DATABASE_REPLICA_URLS: 'mysql://h/d',
    REDIS_URL: 'redis://h',
    JWT_SECRET: SECRET,
  };

  test('needs no other setting', () => {
    expect(problems({ SANDBOX })).toEqual([]);
    expect(readSettings({}).SANDBOX).toBe(false);
  });

  test.each([...Object.entries(SECRETS), ['DATABASE_URL', 'sqlite:data/customer-data.db']])(
    'does not start with %s=%s, which may belong to a service for customers (decision 191)',
    (name, value) => {
      const refused = [
        `${name} must be unset with SANDBOX=true: a sandbox has a published key, and makes its own data`,
      ];
      expect(problems({ SANDBOX, [name]: value })).toEqual(expect.arrayContaining(refused));
      expect(problems({ [name]: value })).not.toEqual(expect.arrayContaining(refused));
    },
  );

  test('does not start in production (decision 191)', () => {
    const found = problems({ ...SECRETS, SANDBOX, NODE_ENV: 'production' });
    expect(found).toContain('SANDBOX must not be true in production: its key is published');
    expect(found).toHaveLength(5);
  });
});

test('settings are frozen', () => {
  const settings = readSettings({}) as { PORT: number };
  expect(() => (settings.PORT = 1)).toThrow(TypeError);
  expect(settings.PORT).toBe(3000);
});
