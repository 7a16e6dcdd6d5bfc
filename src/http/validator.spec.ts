import type { Request } from 'express';
import { isFresh, validatorOf } from './validator.js';

const { ETag } = validatorOf('made');

test.each([
  ['no header', undefined, false],
  ['an empty header', '', false],
  ['the same tag', ETag, true],
  ['the same tag, weakened on the way', `W/${ETag}`, true],
  ['a list with it', `"other" ,W/${ETag}, "third"`, true],
  ['other tags', '"other", W/"third"', false],
  ['the tag without quotes', ETag.slice(1, -1), false],
  ['any tag', ' * ', true],
  ['a list with a star, which is invalid', '"other", *', false],
])('If-None-Match with %s', (_case, value, expected) => {
  expect(isFresh({ headers: { 'if-none-match': value } } as Request, ETag)).toBe(expected);
});
