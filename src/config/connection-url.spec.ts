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

/** Those of many texts, most of them odd, that are taken for the setting. */
function taken(name: string, scheme: string): string[] {
  const texts = Array.from(
    { length: 5000 },
    () => `${scheme}://${some(2)}:${some(3)}@${some(1)}h${some(1)}/${random.of(['n', '7', some(2)])}`,
  );
  return texts.filter((text) => isTaken({ [name]: text }));
}

function isTaken(env: Record<string, string>): boolean {
  try {
    return Boolean(readSettings(env));
  } catch {
    return false;
  }
}

test('what names a MySQL server means the same to both libraries that are given it', () => {
  const right = taken('DATABASE_URL', 'mysql');
  expect(right.length).toBeGreaterThan(50);
  for (const url of right.map((text) => text.trim())) {
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

test('what names a Redis server can be read', () => {
  const right = taken('REDIS_URL', 'redis');
  expect(right.length).toBeGreaterThan(20);
  for (const url of right) expect(() => new Redis(url, { lazyConnect: true })).not.toThrow();
});
