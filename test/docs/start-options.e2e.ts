import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { START_OPTIONS } from '../support/start-options.js';

const DOCS = join(__dirname, '../../docs');

test('each page that starts the service does it with the options of npm start', () => {
  const pages = readdirSync(DOCS, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
  const commands = pages.flatMap((name) => [
    ...readFileSync(join(DOCS, name), 'utf8').matchAll(/ node (.*)dist\/main\.js/g),
  ]);
  expect(commands.length).toBeGreaterThanOrEqual(2);
  for (const [, options] of commands) expect(options!.trim()).toBe(START_OPTIONS.join(' '));
});
