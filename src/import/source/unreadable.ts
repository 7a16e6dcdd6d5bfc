import { NoTemporaryFile } from './spool-to-temp-file.js';

const DESCRIPTIONS = new Map([
  ['ENOENT', 'there is no such file or folder'],
  ['EISDIR', 'this is a folder; name a file'],
  ['EACCES', 'this account has no permission to read it'],
]);

/**
 * Explains to the operator why a path cannot be read.
 * @throws the error itself if it is not a file system error
 */
export function whyUnreadable(error: unknown): string {
  if (error instanceof NoTemporaryFile) return error.message;
  const { code = '', syscall, message } = error as NodeJS.ErrnoException;
  if (!syscall) throw error;
  return DESCRIPTIONS.get(code) ?? `cannot be read: ${message}`;
}
