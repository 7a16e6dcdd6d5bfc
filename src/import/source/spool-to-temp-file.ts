import { type FileHandle, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { Readable } from 'node:stream';
import { openUnnamedFile } from '../../unnamed-file/open-unnamed-file.js';

/** A temporary file could not be created, or the disk is full. */
export class NoTemporaryFile extends Error {}

/**
 * Copies a stream to its end into a temporary file without a name.
 * @throws {NoTemporaryFile} if the folder for temporary files is not writable or full
 */
export async function spoolToTempFile(stream: Readable): Promise<FileHandle> {
  const folder = tmpdir();
  const handle = await openUnnamedFile(folder, 'import').catch((error: Error) => {
    throw unwritable(folder, error);
  });
  try {
    await writeFile(handle, stream);
    return handle;
  } catch (error) {
    await handle.close();
    throw (error as NodeJS.ErrnoException).code === 'ENOSPC' ? unwritable(folder, error as Error) : error;
  }
}

function unwritable(folder: string, cause: Error): NoTemporaryFile {
  const remedy =
    'set TMPDIR to a folder that has enough space and that this account can write to; in a pod with a read-only file system, mount an emptyDir volume there';
  return new NoTemporaryFile(`cannot be copied to a temporary file in ${folder} (${cause.message}); ${remedy}`, {
    cause,
  });
}
