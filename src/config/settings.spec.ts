import { tmpdir } from 'node:os';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Certificate, makeCertificate } from '../../test/support/certificate.js';
import { readSettings } from './settings.js';
import { SettingsError } from './settings-error.js';

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

/** Returns the texts of files, one after the other. */
const read = (...paths: string[]) => paths.map((path) => readFileSync(path, 'utf8')).join('\n');

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
  DATABASE_CERTIFICATE_FILE: undefined,
  DATABASE_KEY_FILE: undefined,
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
    const path = join(mkdtempSync(join(folder, 'file-')), 'file');
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

  describe('of certificates (decision 186)', () => {
    const DATABASE_URL = 'mysql://db/catalogue';
    let own: Certificate;
    let other: Certificate;
    let expired: Certificate;
    let encrypted: Certificate;
    beforeAll(async () => {
      const until = new Date('2026-01-02T03:04:05Z');
      [own, other, expired, encrypted] = await Promise.all([
        makeCertificate(),
        makeCertificate(),
        makeCertificate('expired', { until }),
        makeCertificate('encrypted', { passphrase: 'Tr0ub4dor' }),
      ]);
    });
    afterAll(() => [own, other, expired, encrypted].forEach((certificate) => certificate.remove()));

    const tls = (env: NodeJS.ProcessEnv) => readSettings({ DATABASE_URL, ...env }).DATABASE_TLS;
    const trusting = (path: string) => problems({ DATABASE_URL, DATABASE_CA_FILE: path });
    const ofPair = ({ certificate, key }: Certificate) =>
      problems({ DATABASE_URL, DATABASE_CERTIFICATE_FILE: certificate, DATABASE_KEY_FILE: key });

    test('each of them turns encryption on, with verified host names', () => {
      expect(tls({ DATABASE_CA_FILE: own.certificate })).toBe(true);
      expect(tls({ DATABASE_CERTIFICATE_FILE: own.certificate, DATABASE_KEY_FILE: own.key })).toBe(true);
      expect(tls({ DATABASE_TLS: 'true' })).toBe(true);
      expect(tls({ DATABASE_TLS: 'verify-ca', DATABASE_CA_FILE: own.certificate })).toBe('verify-ca');
      expect(tls({})).toBe(false);
    });

    test('must be readable', () => {
      const none = join(folder, 'none');
      for (const name of ['DATABASE_CA_FILE', 'REDIS_CA_FILE'])
        for (const [path, code] of [[none, 'ENOENT'] as const, [folder, 'EISDIR'] as const])
          expect(problems({ DATABASE_URL, REDIS_URL: 'rediss://redis', [name]: path })).toEqual([
            `${name} must name a readable file (${code})`,
          ]);
      expect(ofPair({ ...own, certificate: none, key: folder })).toEqual([
        'DATABASE_CERTIFICATE_FILE must name a readable file (ENOENT)',
        'DATABASE_KEY_FILE must name a readable file (EISDIR)',
      ]);
    });

    test('must contain certificates and a key', () => {
      expect(ofPair({ ...own, certificate: own.key, key: own.certificate })).toEqual([
        'DATABASE_CERTIFICATE_FILE must name a file of certificates (PEM)',
        'DATABASE_KEY_FILE must name a file with a private key (PEM)',
      ]);
      const text = read(own.certificate);
      for (const name of ['DATABASE_CA_FILE', 'REDIS_CA_FILE'])
        for (const damaged of [text.replace(/\n[^-]{100}/, '\n'), text.trim() + text.trim()])
          expect(problems({ DATABASE_URL, REDIS_URL: 'rediss://redis', [name]: holding(damaged) })).toEqual([
            `${name} must name a file of certificates (PEM): one of them is damaged`,
          ]);
    });

    test('must contain the key of the first certificate, without a passphrase', () => {
      expect(ofPair(own)).toEqual([]);
      expect(ofPair({ ...own, certificate: holding(read(own.certificate, other.certificate)) })).toEqual([]);
      expect(ofPair({ ...other, certificate: holding(read(own.certificate, other.certificate)) })).toEqual([
        'DATABASE_KEY_FILE must name the key of the first certificate in DATABASE_CERTIFICATE_FILE',
      ]);
      expect(ofPair(encrypted)).toEqual([expect.stringMatching(/^DATABASE_KEY_FILE must .* openssl pkey -in/)]);
      const traditional = holding('-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n');
      expect(ofPair({ ...own, key: traditional })).toEqual([
        expect.stringMatching(/^DATABASE_KEY_FILE must .* openssl/),
      ]);
    });

    test('must not have expired, except for one of several authorities', () => {
      const problem =
        'must name a certificate that has not expired: the first one was valid until 2026-01-02T03:04:05.000Z';
      expect(ofPair(expired)).toEqual([`DATABASE_CERTIFICATE_FILE ${problem}`]);
      expect(trusting(expired.certificate)).toEqual([`DATABASE_CA_FILE ${problem}`]);
      expect(trusting(holding(read(expired.certificate, own.certificate)))).toEqual([]);
      expect(ofPair({ ...own, certificate: holding(read(expired.certificate, own.certificate)) })).not.toEqual([]);
    });

    test('need encryption, and each other', () => {
      const [certificate, key] = [{ DATABASE_CERTIFICATE_FILE: own.certificate }, { DATABASE_KEY_FILE: own.key }];
      const authority = { DATABASE_CA_FILE: own.certificate };
      expect(problems(authority)).toEqual([expect.stringMatching('^DATABASE_TLS needs a DATABASE_URL')]);
      expect(problems({ DATABASE_URL, ...authority, ...certificate, ...key, DATABASE_TLS: 'false' })).toEqual([
        expect.stringMatching('^DATABASE_CA_FILE needs a DATABASE_TLS'),
        expect.stringMatching('^DATABASE_CERTIFICATE_FILE needs a DATABASE_TLS'),
      ]);
      for (const half of [certificate, key])
        expect(problems({ DATABASE_URL, ...half })).toEqual([
          'DATABASE_CERTIFICATE_FILE and DATABASE_KEY_FILE must be set together',
        ]);
      for (const REDIS_URL of [undefined, 'redis://redis'])
        expect(problems({ REDIS_URL, REDIS_CA_FILE: own.certificate })).toEqual([
          expect.stringMatching('^REDIS_CA_FILE needs a REDIS_URL'),
        ]);
    });

    test('DATABASE_TLS=verify-ca needs an authority of its own', () => {
      expect(problems({ DATABASE_URL, DATABASE_TLS: 'verify-ca' })).toEqual([
        expect.stringMatching('^DATABASE_TLS=verify-ca needs a DATABASE_CA_FILE'),
      ]);
    });
  });
});

describe('connection parameters of other tools', () => {
  const refused = 'must have no parameters:';
  test.each([
    ['ssl={"rejectUnauthorized":false,"ca":"s3cret"}', 'replace ssl with DATABASE_TLS (true, verify-ca or false)'],
    ['sslmode=verify-full', 'replace sslmode with DATABASE_TLS (true, verify-ca or false)'],
    [
      'useSSL=true&requireSSL=true&serverTimezone=UTC',
      'replace useSSL, requireSSL with DATABASE_TLS (true, verify-ca or false); remove serverTimezone, because the service uses UTC',
    ],
    ['ssl-ca=/ca.pem', 'replace ssl-ca with DATABASE_CA_FILE'],
    ['ssl-cert=s3cret', 'replace ssl-cert with DATABASE_CERTIFICATE_FILE and DATABASE_KEY_FILE'],
    ['ssl-key=s3cret', 'replace ssl-key with DATABASE_KEY_FILE, a key without a passphrase'],
    [
      'serverVersion=8.4&charset=utf8mb4',
      'remove charset, because the service uses utf8mb4; remove serverVersion, because the service needs no version',
    ],
    ['connectTimeout=5', 'replace connectTimeout with DATABASE_WAIT_MS'],
    ['connection_limit=5', 'replace connection_limit with DATABASE_POOL_SIZE and DOWNLOAD_POOL_SIZE'],
    ['s3cret=1', 'remove them'],
    ['charset=utf8&s3cret=1&ssl3cret!', 'remove charset, because the service uses utf8mb4; remove the others'],
    ['', 'remove the question mark'],
  ])('?%s is refused, and the message names the setting', (query, advice) => {
    const url = `mysql://u:s3cret@h/d?${query}`;
    expect(problems({ DATABASE_URL: url })).toEqual([`DATABASE_URL ${refused} ${advice}`]);
    const urls = { DATABASE_URL: 'mysql://h/d', DATABASE_REPLICA_URLS: `mysql://h/d,${url}` };
    expect(problems(urls)).toEqual([`DATABASE_REPLICA_URLS ${refused} ${advice}`]);
  });

  test.each(['mysql://u:12/p?sslmode=s3cret@h/d', 'mysql://u:p@ss@h/d?ssl=true', 'mysql://h?ssl=true'])(
    '%s is refused for another reason',
    (url) => {
      expect(problems({ DATABASE_URL: url })).toEqual([expect.stringMatching('^DATABASE_URL must be mysql://user')]);
    },
  );
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
  ['DATABASE_TLS', ['1', 'TRUE', 'verify-full', 'required']],
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
