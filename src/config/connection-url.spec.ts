import { Redis } from 'ioredis';
import mysql from 'mysql2';
import { DriverUtils } from 'typeorm/driver/DriverUtils.js';
import { SeededRandom } from '../../test/support/seeded-random.js';
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
