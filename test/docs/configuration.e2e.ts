import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readSettings } from '../../src/config/settings.js';

const page = readFileSync(resolve(import.meta.dirname, '../../docs/configuration.md'), 'utf8');
const settings = readSettings({}) as unknown as Record<string, unknown>;
/** Name and default, the first cells of a row. */
const rows = [...page.matchAll(/^\| `([A-Z_]+)` +\| ([^|]+?) +\|/gm)].map(([, name, text]) => [name!, text!] as const);

test('docs/configuration.md has one row for each setting', () => {
  expect(rows.map(([name]) => name).toSorted()).toEqual(Object.keys(settings).toSorted());
});

test('docs/configuration.md has the default of each setting whose default is fixed', () => {
  const fixed = rows.filter(([, text]) => /^`[^`]+`$/.test(text));
  expect(fixed.length).toBeGreaterThan(15);
  expect(fixed).toEqual(fixed.map(([name]) => [name, `\`${String(settings[name])}\``]));
});
