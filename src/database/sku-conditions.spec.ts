import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = join(__dirname, '..');

test('no statement uses BETWEEN, which returns too few rows on MariaDB', () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const statements = files.filter((file) => /(?<!`)\bBETWEEN\b/.test(readFileSync(join(SOURCES, file), 'utf8')));
  expect(files.length).toBeGreaterThan(100);
  expect(statements.filter((file) => !file.endsWith('.spec.ts'))).toEqual([]);
});
