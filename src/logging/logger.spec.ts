import type { LogOutput } from './log-output.js';
import { ServiceLogger } from './logger.js';
import { readSettings } from '../config/settings.js';

/** What a logger of this form prints. */
function printed(LOG_FORMAT: string, log: (logger: ServiceLogger) => void): string[] {
  const lines: string[] = [];
  const output: Pick<LogOutput, 'write' | 'hasColors'> = { hasColors: false, write: (line) => void lines.push(line) };
  log(new ServiceLogger(readSettings({ LOG_FORMAT }), output as LogOutput));
  return lines;
}
const FORGED = 'a\n2026-11-28T00:00:00.000Z ERROR forged\r\u2028\u001B[2Jb\u0000';

test('what a caller may have sent makes no further line, and reaches no terminal (decision 84)', () => {
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

test.each(['json', 'text'])('%s: a line is bounded, however long its message', (form) => {
  const [line] = printed(form, (logger) => logger.error('x'.repeat(1_000_000), 's'.repeat(1_000_000), 'Place'));
  expect(line!.length).toBeLessThan(20_000);
});

test('of an error the message and the stack are told, and nothing that a driver put beside them (decision 31)', () => {
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

test('how the framework assembles itself is not told', () => {
  expect(printed('json', (logger) => logger.log('Mapped {/stock, GET} route', 'RouterExplorer'))).toEqual([]);
});
