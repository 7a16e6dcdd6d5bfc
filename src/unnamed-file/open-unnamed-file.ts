import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Opens a new file for writing and reading. Only this account can read it. Its name is deleted at once, so the system
 * deletes the file when the process ends, even after SIGKILL.
 * @param purpose part of the temporary name
 * @throws errors of the file system
 */
export async function openUnnamedFile(folder: string, purpose: string): Promise<FileHandle> {
  const path = join(folder, `customer-data-${purpose}-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  try {
    await unlink(path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}
