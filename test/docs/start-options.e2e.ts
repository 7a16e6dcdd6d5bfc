import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { START_OPTIONS } from '../support/start-options.js';

const read = (name: string) => readFileSync(join(__dirname, '../..', name), 'utf8');

test('the image starts the service with the options of npm start', () => {
  const command: unknown = JSON.parse(/^CMD (.*)$/m.exec(read('Dockerfile'))![1]!);
  expect(command).toEqual(['node', ...START_OPTIONS, 'dist/main.js']);
});

test.each(['docs/commands.md', 'docs/operations.md'])('%s starts the service with the options of npm start', (name) => {
  const commands = [...read(name).matchAll(/ node (.*)dist\/main\.js/g)].map(([, options]) => options!.trim());
  expect(commands).toEqual([START_OPTIONS.join(' ')]);
});
