import { NoTemporaryFile } from './spool-to-temp-file.js';

const DESCRIPTIONS = new Map([
  ['ENOENT', 'there is no such file or folder'],
  ['EISDIR', 'this is a folder, and has to be a file'],
  ['EACCES', 'this account may not read it'],
]);

/**
 * Why a path cannot be read, in words for the operator.
 * @throws the error itself where it is none of the file system
 */
export function whyUnreadable(error: unknown): string {
  if (error instanceof NoTemporaryFile) return error.message;
  const { code = '', syscall, message } = error as NodeJS.ErrnoException;
  if (!syscall) throw error;
  return DESCRIPTIONS.get(code) ?? `cannot be read: ${message}`;
}
