import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { START_OPTIONS } from '../support/start-options.js';

const ROOT = join(__dirname, '../..');
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');

test('the image starts the service with the options of npm start', () => {
  const command: unknown = JSON.parse(/^CMD (.*)$/m.exec(read('Dockerfile'))![1]!);
  expect(command).toEqual(['node', ...START_OPTIONS, 'dist/main.js']);
});

test('each page that starts the service does it with the options of npm start', () => {
  const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  );
  const commands = pages.flatMap((name) => [...read(`docs/${name}`).matchAll(/ node (--.*)dist\/main\.js/g)]);
  expect(commands.length).toBeGreaterThanOrEqual(2);
  for (const [, options] of commands) expect(options!.trim()).toBe(START_OPTIONS.join(' '));
});
