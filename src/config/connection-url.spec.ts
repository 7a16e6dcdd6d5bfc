import { Redis } from 'ioredis';
import mysql from 'mysql2';
import { DriverUtils } from 'typeorm/driver/DriverUtils.js';
import { SeededRandom } from '../../test/support/seeded-random.js';
import { parseSentinelUrl } from './sentinel-url.js';
import { readSettings } from './settings.js';

const random = new SeededRandom(86);
const PARTS =
  'a,B7,-,_,.,%40,%zz,%,%ff,%C3%A9,é,#,?,?ssl=1,/,\\, ,\t,@,:,:3306,:0,:99999,[::1],|,<,^,&,=,+,",\u{1F3A9}';
const some = (most: number) =>
  Array.from({ length: random.of([0, 1, 1, 2, most]) }, () => random.of(PARTS.split(','))).join('');

/** Generates many unusual URLs and returns those that the setting accepts. */
function acceptedUrls(name: string, scheme: string): string[] {
  const texts = Array.from(
    { length: 5000 },
    () => `${scheme}://${some(2)}:${some(3)}@${some(1)}h${some(1)}/${random.of(['n', '7', some(2)])}`,
  );
  return texts.filter((text) => isAccepted({ [name]: text }));
}

function isAccepted(env: Record<string, string>): boolean {
  try {
    return Boolean(readSettings(env));
  } catch {
    return false;
  }
}

test('TypeORM and mysql2 read every accepted DATABASE_URL alike', () => {
  const accepted = acceptedUrls('DATABASE_URL', 'mysql');
  expect(accepted.length).toBeGreaterThan(50);
  for (const url of accepted.map((text) => text.trim())) {
    const one = DriverUtils.buildDriverOptions({ url });
    const pool = mysql.createPool({ uri: url }) as unknown as { config: { connectionConfig: mysql.ConnectionOptions } };
    const { host, port, user, password, database } = pool.config.connectionConfig;
    expect([url, host, port, user, password ?? '', database]).toEqual([
      url,
      one.host,
      one.port ?? 3306,
      one.username || undefined,
      one.password,
      one.database,
    ]);
  }
});

test('ioredis can read every accepted REDIS_URL', () => {
  const accepted = acceptedUrls('REDIS_URL', 'redis');
  expect(accepted.length).toBeGreaterThan(20);
  for (const url of accepted) expect(() => new Redis(url, { lazyConnect: true })).not.toThrow();
});

test('parseSentinelUrl reads every part of a redis+sentinel URL (decision 184)', () => {
  const query = 'sentinel_username=s%40&sentinel_password=a+b%2F';
  expect(parseSentinelUrl(`rediss+sentinel://us%25er:p%23w:@one:26380,two.example/my-master/3?${query}`)).toEqual({
    encrypted: true,
    sentinels: [
      { host: 'one', port: 26_380 },
      { host: 'two.example', port: 26_379 },
    ],
    name: 'my-master',
    db: 3,
    username: 'us%er',
    password: 'p#w:',
    sentinelUsername: 's@',
    sentinelPassword: 'a+b/',
  });
  const [sentinels, name] = [[{ host: 'one', port: 26_379 }], 'm'];
  expect(parseSentinelUrl('redis+sentinel://one/m')).toEqual({ encrypted: false, sentinels, name, db: 0 });
  expect(parseSentinelUrl('redis+sentinel://:pw@one/m?sentinel_password=x')).toMatchObject({
    password: 'pw',
    sentinelPassword: 'x',
  });
});

test.each([
  'redis+sentinel://one',
  'redis+sentinel://one/',
  'redis+sentinel://one/m/x',
  'redis+sentinel://one,/m',
  'redis+sentinel://one:0/m',
  'redis+sentinel://one:65536/m',
  'redis+sentinel://u:p%zz@one/m',
  'redis+sentinel://u:p#w@one/m',
  'redis+sentinel://one/m?password=x',
  'redis+sentinel://one/m?sentinel_password=a&b',
  'redis+sentinel://one/m?sentinel_password=x&sentinel_password=y',
  'sentinel://one/m',
  'redis://one,two/0',
])('REDIS_URL=%s is refused', (REDIS_URL) => {
  expect(isAccepted({ REDIS_URL })).toBe(false);
});
