import type { Request } from 'express';
import { isFresh, validatorOf } from './validator.js';

const { ETag } = validatorOf('made');
const BARE = ETag.slice(1, -1);
const known = (value: string | undefined) => ({ headers: { 'if-none-match': value } }) as Request;

test.each([
  ['a missing header does not match', undefined, false],
  ['an empty header does not match', '', false],
  ['the same tag matches', ETag, true],
  ['the same tag, weakened on the way, matches', `W/${ETag}`, true],
  ['a list that contains the tag matches', `"other" ,W/${ETag}, "third"`, true],
  ['a list of other tags does not match', '"other", W/"third"', false],
  ['the tag without quotes matches', BARE, true],
  ['the weakened tag without quotes matches', `W/${BARE}`, true],
  ['the tag with the suffix of Apache matches', `"${BARE}-gzip"`, true],
  ['the tag with a suffix behind its quotes matches', `"${BARE}"-gzip`, true],
  ['the tag with the suffix of brotli matches', `W/"${BARE}-br"`, true],
  ['the tag with the suffix of Caddy matches', `"${BARE}-zstd"`, true],
  ['the tag with the suffix of Jetty matches', `W/"${BARE}--gzip"`, true],
  ['the tag with the suffix of Django matches', `"${BARE};gzip"`, true],
  ['the tag with a suffix and without quotes matches', `${BARE}-gzip`, true],
  ['the tag with another suffix does not match', `"${BARE}-2"`, false],
  ['the tag with two suffixes does not match', `"${BARE}-gzip-gzip"`, false],
  ['the beginning of the tag does not match', `"${BARE.slice(0, -1)}-gzip"`, false],
  ['another tag with a suffix does not match', '"other-gzip"', false],
  ['a suffix alone does not match', '"-gzip"', false],
  ['a star matches', ' * ', true],
  ['a star in quotes does not match', '"*"', false],
  ['a list with a star is invalid and does not match', '"other", *', false],
])('in If-None-Match, %s', (_case, value, expected) => {
  expect(isFresh(known(value), ETag)).toBe(expected);
});

test('a tag that ends like a suffix matches only itself', () => {
  expect(isFresh(known('"digest-br"'), '"digest-br"')).toBe(true);
  expect(isFresh(known('"digest-br-gzip"'), '"digest-br"')).toBe(false);
});
