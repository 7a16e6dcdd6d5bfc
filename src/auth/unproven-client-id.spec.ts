import { createHash } from 'node:crypto';
import { loggable } from './unproven-client-id.js';

test.each([
  ['ACME', 'ACME'],
  ['DE-ACME-WHOLESALE-2024-EAST', 'DE-ACME-WHOLESALE-2024-EAST'],
  ['Łódź 😀 "x"', 'Łódź 😀 "x"'],
  ['a\r\nb\u0000\u001b[2J', 'a\\u{d}\\u{a}b\\u{0}\\u{1b}[2J'],
  ['ACME\u00a0', 'ACME\\u{a0}'],
  ['AC\u3164ME\u034f\ufe0f', 'AC\\u{3164}ME\\u{34f}\\u{fe0f}'],
  ['a\\u{1b}', 'a\\u{5c}u{1b}'],
  ['a\u2028b\u202ec\u0085', 'a\\u{2028}b\\u{202e}c\\u{85}'],
])('logs the client ID %j as %j', (clientId, expected) => {
  expect(loggable(clientId)).toBe(expected);
});

const KEY = '9fJk3LmQ0wErT7yU1iOpAsDfGh5jKlZxCvBn2mQwErTy';
test.each([
  ['an API key', KEY],
  ['an API key with its customer', `ACME:${KEY}`],
  ['an API key that a space or a line break divides', `${KEY.slice(0, 22)} ${KEY.slice(22)}`],
  ['half of an API key and more', KEY.slice(0, 24)],
  ['a signing secret', 'Zm9v+YmFy/cXV4+Zm9v/YmFy+cXV4Zm9v/YmFyc+V4'],
  ['an access token', `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJBIn0.${'x-'.repeat(20)}`],
  ['a long text', '- '.repeat(8000)],
])('logs only the length and a part of the SHA-256 of %s', (_, secret) => {
  const digest = createHash('sha256').update(secret).digest('hex').slice(0, 12);
  expect(loggable(secret)).toBe(`${secret.length} characters, SHA-256 ${digest}…`);
});
