import type { LogOutput } from './log-output.js';
import { ServiceLogger } from './logger.js';
import { readSettings } from '../config/settings.js';

/** Returns the lines that a logger with this LOG_FORMAT prints. */
function printed(LOG_FORMAT: string, log: (logger: ServiceLogger) => void): string[] {
  const lines: string[] = [];
  const output: Pick<LogOutput, 'write' | 'hasColors'> = { hasColors: false, write: (line) => void lines.push(line) };
  log(new ServiceLogger(readSettings({ LOG_FORMAT }), output as LogOutput));
  return lines;
}
const FORGED = 'a\n2026-11-28T00:00:00.000Z ERROR forged\r\u2028\u001B[2Jb\u0000';

test('input of a client can neither forge a log line nor control a terminal (decision 84)', () => {
  const error = Object.assign(new Error(FORGED), { stack: `Error: ${FORGED}\n    at here` });
  const [text] = printed('text', (logger) => logger.error(error, 'Place'));
  expect(text!.split('\n').map((line) => line.replace(/^\S+Z/, 'now'))).toEqual([
    'now ERROR [Place] a 2026-11-28T00:00:00.000Z ERROR forged   [2Jb ',
    '    Error: a',
    '    2026-11-28T00:00:00.000Z ERROR forged   [2Jb ',
    '        at here',
    '',
  ]);
  const [json] = printed('json', (logger) => logger.error(error, 'Place'));
  expect(json!.indexOf('\n')).toBe(json!.length - 1);
  expect(JSON.parse(json!)).toMatchObject({ level: 'error', context: 'Place', message: FORGED, stack: error.stack });
});

test.each(['json', 'text'])('a line of %s has a maximum length', (form) => {
  const [line] = printed(form, (logger) => logger.error('x'.repeat(1_000_000), 's'.repeat(1_000_000), 'Place'));
  expect(line!.length).toBeLessThan(20_000);
});

test('only the message and the stack of an error are logged, no properties that a driver added (decision 31)', () => {
  const error = Object.assign(new Error('It failed'), { sql: 'SELECT secret', parameters: ['secret'] });
  for (const form of ['json', 'text'])
    for (const log of [
      (logger: ServiceLogger) => logger.error(error, 'Place'),
      (logger: ServiceLogger) => logger.error('It failed', error, 'Place'),
    ]) {
      const [line, ...more] = printed(form, log);
      expect(more).toEqual([]);
      expect(line).toMatch(/It failed[^]*logger\.spec\.ts/);
      expect(line).not.toContain('secret');
    }
});

test("the framework's start-up messages are not logged", () => {
  expect(printed('json', (logger) => logger.log('Mapped {/stock, GET} route', 'RouterExplorer'))).toEqual([]);
});
