import type { Request } from 'express';
import { isFresh, validatorOf } from './validator.js';

const { ETag } = validatorOf('made');

test.each([
  ['a missing header does not match', undefined, false],
  ['an empty header does not match', '', false],
  ['the same tag matches', ETag, true],
  ['the same tag, weakened on the way, matches', `W/${ETag}`, true],
  ['a list that contains the tag matches', `"other" ,W/${ETag}, "third"`, true],
  ['a list of other tags does not match', '"other", W/"third"', false],
  ['the tag without quotes does not match', ETag.slice(1, -1), false],
  ['a star matches', ' * ', true],
  ['a list with a star is invalid and does not match', '"other", *', false],
])('in If-None-Match, %s', (_case, value, expected) => {
  expect(isFresh({ headers: { 'if-none-match': value } } as Request, ETag)).toBe(expected);
});
